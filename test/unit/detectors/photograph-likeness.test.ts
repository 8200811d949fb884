import type { Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { isPhotograph, photographLikeness } from '../../../src/detectors/photograph-likeness.ts';

import { drawScene, fromScene, type Scene } from '../../fixtures/pictures.ts';
import { cartoon, chart, nightSky, relit, screenshot, textPage } from './drawings.ts';
import { inputOf, worded, type WordedSkip } from './input.ts';
import type { WordedFinding } from '../../../src/present/findings.ts';

const saved: Readonly<Record<string, (scene: Scene) => Sharp>> = {
  'a PNG': (scene) => fromScene(scene).png(),
  'a JPEG of quality 90': (scene) => fromScene(scene).jpeg({ quality: 90 }),
  'a JPEG of quality 75': (scene) => fromScene(scene).jpeg({ quality: 75 }),
};

async function look(file: Sharp) {
  return worded(photographLikeness.examine(await inputOf(file)));
}

async function lookAt(shown: Scene, photograph: number) {
  const input = await inputOf(fromScene(shown).png());
  const kind = { kind: 'screenshot', photograph, photographMin: 0.3 } as const;
  return worded(photographLikeness.examine({ ...input, traces: { ...input.traces, kind } }));
}

function saysPhotograph(result: WordedFinding | WordedSkip): boolean {
  return isPhotograph('score' in result ? [result] : []);
}

const scene = drawScene({ width: 640, height: 480, seed: 9 });

describe.each(Object.entries(saved))('as %s', (_, save) => {
  test.each([
    ['a page of text', textPage()],
    ['a cartoon', cartoon()],
    ['a chart', chart()],
    ['a screenshot', screenshot()],
  ])('%s is not a photograph', async (_name, drawing) => {
    const result = await look(save(drawing));

    expect(saysPhotograph(result)).toBe(false);
    expect(result).toMatchObject({ score: 0.5, measures: { isPhotograph: 0 } });
  });

  test.each([
    ['in daylight', scene],
    ['in the dark', relit(scene, (value) => value * 0.04)],
    ['with blown highlights', relit(scene, (value) => value * 3)],
    ['of hard contrast', relit(scene, (value) => (value - 110) * 4 + 128)],
    ['of lamps in the night', nightSky()],
  ])('a scene %s is a photograph', async (_name, photograph) => {
    expect(saysPhotograph(await look(save(photograph)))).toBe(true);
  });
});

test('a scanned page with paper grain and soft letters is a photograph', async () => {
  const grain = drawScene({ width: 640, height: 480, seed: 3 });
  const page = await fromScene(textPage()).blur(1.2).raw().toBuffer();
  const rgb = page.map((value, at) => Math.min(255, value * 0.8 + grain.rgb[at]! * 0.15));

  const scan = await look(fromScene({ ...grain, rgb }).jpeg({ quality: 75 }));

  expect(saysPhotograph(scan)).toBe(true);
});

test('a uniform picture is blank, and the statement says so', async () => {
  const plain = { width: 200, height: 200, rgb: new Uint8Array(120_000).fill(240) };

  expect(await look(fromScene(plain).png())).toMatchObject({
    measures: { isPhotograph: 0, flatShare: 1 },
    statement: { en: expect.stringContaining('flat'), de: expect.stringContaining('Fläche') },
  });
});

test('a picture below 128 x 128 pixels is skipped with a reason and counts as a photograph', async () => {
  const small = await look(fromScene(drawScene({ width: 120, height: 120, seed: 1 })).png());

  expect(small).toEqual({
    method: 'photograph-likeness',
    reason: {
      en: expect.stringContaining('too small'),
      de: expect.stringContaining('kleinen Bild'),
    },
  });
  expect(saysPhotograph(small)).toBe(true);
});

describe("the transformer's classification", () => {
  test('names what is not a photograph, although its edges and areas look like one', async () => {
    const result = await lookAt(scene, 0.29);

    expect(saysPhotograph(result)).toBe(false);
    expect(result).toMatchObject({
      measures: { photographScore: 0.29 },
      statement: {
        en: expect.stringContaining('as a screenshot, not a photograph'),
        de: expect.stringContaining('nicht für eine Fotografie, sondern für ein Bildschirmfoto'),
      },
    });
  });

  test('does not make a photograph of a drawing', async () => {
    expect(saysPhotograph(await lookAt(scene, 0.31))).toBe(true);
    expect(saysPhotograph(await lookAt(cartoon(), 0.9))).toBe(false);
  });
});
