import { afterAll, describe, expect, test } from 'vitest';
import { decisionStrategies, defaultSeed } from '../../../src/contract/vocabulary.ts';
import { saveJpeg, scalePixels } from '../../../src/image/codec.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { createSandbox, type Measurement } from '../../../src/examiner/sandbox.ts';
import { fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';

const options = { model: null, seed: defaultSeed };

const sandbox = createSandbox({ poolSize: 1 });
afterAll(() => sandbox.close());
const jpeg = await sceneJpeg({ width: 200, height: 136, seed: 1 });
const measured = await measure(jpeg);

describe('the conditions', () => {
  test('web limits the longest side and saves as JPEG 75, hard halves that and saves as JPEG 60', async () => {
    const large = await scenePng({ width: 1700, height: 153, seed: 2 });
    const web = await saved(large, { width: 1600, height: 144 }, 75);
    const hard = await saved(web, { width: 800, height: 72 }, 60);

    expect(readingsOf(await measure(large))).toEqual([
      ['clean', await asItIs(large)],
      ['web', await asItIs(web)],
      ['hard', await asItIs(hard)],
    ]);
  });

  test('a small picture keeps its size on the web', async () => {
    const web = await saved(jpeg, { width: 200, height: 136 }, 75);

    expect(readingsOf(measured)[1]).toEqual(['web', await asItIs(web)]);
  });

  test('end before the picture becomes too small to examine', async () => {
    const tiny = readingsOf(await measure(await scenePng({ width: 160, height: 100, seed: 2 })));

    expect(tiny.map(([condition]) => condition)).toEqual(['clean', 'web']);
  });
});

describe('measuring', () => {
  test('the clean condition decides as an examination does, under every strategy', async () => {
    const { readings, sha256, model } = measured;

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
    const png = await fromScene({ rgb, width: 200, height: 136 }).png().toBuffer();

    const { readings } = await measure(png);

    expect(readings.slice(1)).toEqual(measured.readings.slice(1));
  });

  test('is deterministic', async () => {
    expect(await measure(jpeg)).toEqual(measured);
    expect(measured.readings.map(({ condition }) => condition)).toEqual(['clean', 'web', 'hard']);
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

/** The probability under each condition. */
function readingsOf({ readings }: Measurement) {
  return readings.map(({ condition, fakeProbability }) => [condition, fakeProbability] as const);
}

async function asItIs(bytes: Uint8Array): Promise<number> {
  const examined = { ...options, decisionStrategy: 'default' } as const;
  return (await sandbox.examine({ source: { bytes }, options: examined })).decision.fakeProbability;
}

async function saved(bytes: Uint8Array, size: { width: number; height: number }, quality: number) {
  const { rgb, facts } = await decodePicture(bytes);
  const { width, height } = facts;
  const pixels = { width, height, rgb };
  const isSameSize = width === size.width && height === size.height;
  return saveJpeg(isSameSize ? pixels : await scalePixels(pixels, size), quality);
}
