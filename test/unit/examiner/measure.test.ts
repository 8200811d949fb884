import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decisionStrategies, defaultSeed } from '../../../src/contract/vocabulary.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { defaultLimits } from '../../../src/image/picture.ts';
import { createSandbox, type Sandbox } from '../../../src/examiner/sandbox.ts';
import { underConditions } from '../../../src/examiner/measure.ts';
import { fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';

const options = { model: null, seed: defaultSeed };

let sandbox: Sandbox;
let jpeg: Buffer;

beforeAll(async () => {
  sandbox = createSandbox({ poolSize: 1 });
  jpeg = await sceneJpeg({ width: 300, height: 200, seed: 1 });
});

afterAll(() => sandbox.close());

describe('the conditions', () => {
  test('web limits the longest side and saves as JPEG 75, hard halves that and saves as JPEG 60', async () => {
    const large = await passed(await scenePng({ width: 2000, height: 500, seed: 2 }));

    expect(large).toEqual([
      { condition: 'clean', width: 2000, height: 500, quality: undefined },
      { condition: 'web', width: 1600, height: 400, quality: 75 },
      { condition: 'hard', width: 800, height: 200, quality: 60 },
    ]);
  });

  test('a small picture keeps its size on the web', async () => {
    const small = await passed(jpeg);

    expect(small.map(({ width, height }) => [width, height])).toEqual([
      [300, 200],
      [300, 200],
      [150, 100],
    ]);
  });

  test('end before the picture becomes too small to examine', async () => {
    const tiny = await passed(await scenePng({ width: 300, height: 100, seed: 2 }));

    expect(tiny.map(({ condition }) => condition)).toEqual(['clean', 'web']);
  });
});

describe('measuring', () => {
  test('the clean condition decides as an examination does, under every strategy', async () => {
    const { readings, sha256, model } = await sandbox.measure({ source: { bytes: jpeg }, options });

    const [clean] = readings;
    for (const decisionStrategy of decisionStrategies) {
      const examination = await sandbox.examine({
        source: { bytes: jpeg },
        options: { ...options, decisionStrategy },
      });
      const { resultClass, reasons } = examination.decision;
      expect(clean!.verdicts[decisionStrategy]).toEqual({ resultClass, reasons });
      expect(clean!.fakeProbability).toBe(examination.decision.fakeProbability);
      expect([sha256, model]).toEqual([examination.facts.sha256, examination.model]);
    }
  });

  test('the conditions do not depend on whether the pixels came as JPEG or PNG', async () => {
    const { rgb } = await decodePicture(jpeg);
    const png = await fromScene({ rgb, width: 300, height: 200 }).png().toBuffer();

    const [fromJpeg, fromPng] = [await measure(jpeg), await measure(png)];

    expect(fromPng.readings.slice(1)).toEqual(fromJpeg.readings.slice(1));
  });

  test('is deterministic', async () => {
    const [one, other] = [await measure(jpeg), await measure(jpeg)];

    expect(other).toEqual(one);
    expect(one.readings.map(({ condition }) => condition)).toEqual(['clean', 'web', 'hard']);
  });

  test('of a file that is not a picture is rejected with the code of an examination', async () => {
    await expect(measure(Buffer.from('no picture'))).rejects.toMatchObject({
      code: 'image_not_supported',
    });
    await expect(
      sandbox.measure({ source: { bytes: jpeg }, options: { model: null, seed: 0.5 } }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

function measure(bytes: Uint8Array) {
  return sandbox.measure({ source: { bytes }, options });
}

async function passed(bytes: Uint8Array) {
  const found = [];
  const picture = await decodePicture(bytes);
  for await (const { condition, picture: now } of underConditions(picture, defaultLimits)) {
    const { width, height, jpeg: coding } = now.facts;
    found.push({ condition, width, height, quality: coding?.quality?.value });
  }
  return found;
}
