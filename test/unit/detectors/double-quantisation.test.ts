import { describe, expect, test } from 'vitest';
import { boxMean } from '../../../src/detectors/blocks.ts';
import { readBlocks } from '../../../src/detectors/double-quantisation-fit.ts';
import { doubleQuantisation } from '../../../src/detectors/double-quantisation.ts';
import { storedLuma, storedRgb } from '../../../src/detectors/stored-plane.ts';
import { lumaSteps } from '../../../src/image/jpeg-structure.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { drawScene, fromScene, type Scene } from '../../fixtures/pictures.ts';
import { pasted, resaved } from './histories.ts';
import { inputOf, worded } from './input.ts';

const size = { width: 320, height: 256 };
const box = { left: 200, top: 140, width: 80, height: 80 };

const host = await resaved(drawScene({ ...size, seed: 5 }), 70);
const changed = pasted(host, drawScene({ ...size, seed: 6 }), box);

const last = {
  'a JPEG of higher quality': (scene: Scene) => fromScene(scene).jpeg({ quality: 92 }),
  'a PNG': (scene: Scene) => fromScene(scene).png(),
};

describe.each(Object.entries(last))('a JPEG re-saved as %s', (_, save) => {
  test('shows the region inserted between the saves', async () => {
    const answer = worded(doubleQuantisation.examine(await inputOf(save(changed))));

    if (!('finding' in answer)) throw new Error('nothing was read');
    const { measures, score, speaksFor, statement } = answer.finding;
    expect([speaksFor, score > 0.7]).toEqual(['fake', true]);
    expect(Math.abs(measures['regionLeft']! - box.left)).toBeLessThan(24);
    expect(Math.abs(measures['regionTop']! - box.top)).toBeLessThan(24);
    expect(statement.en).toContain('in the lower right');
    expect(statement.de).toContain('rechts unten');
    const at = (x: number, y: number) =>
      answer.map.values[Math.floor(y / 8) * answer.map.columns + Math.floor(x / 8)];
    expect(at(240, 180)).toBeGreaterThan(0.9);
    expect(at(80, 180)).toBeLessThan(0.3);
  });

  test('shows none if nothing was inserted', async () => {
    const answer = worded(doubleQuantisation.examine(await inputOf(save(host))));

    expect(answer).toHaveProperty('finding.speaksFor', 'neither');
    expect(answer).toHaveProperty('finding.strength', 'none');
    expect(answer).toHaveProperty('finding.statement.en', expect.stringContaining('no region'));
  });
});

test('a rotated picture shows the region in the same place', async () => {
  const turned = fromScene(changed).rotate(90).withMetadata({ orientation: 8 });

  const answer = worded(doubleQuantisation.examine(await inputOf(turned.png())));

  expect(answer).toHaveProperty('finding.statement.en', expect.stringContaining('lower right'));
});

test.each([
  ['was saved as JPEG once', () => fromScene(drawScene({ ...size, seed: 5 })).jpeg()],
  ['was never saved as JPEG', () => fromScene(drawScene({ ...size, seed: 5 })).png()],
  ['was scaled since', () => fromScene(changed).resize(256, 205, { fit: 'fill' }).png()],
  ['was last saved at much lower quality', () => fromScene(changed).jpeg({ quality: 30 })],
  ['is of one colour', () => fromScene({ ...size, rgb: host.rgb.map(() => 90) }).png()],
])('a picture that %s is skipped with a reason', async (_, file) => {
  const answer = worded(doubleQuantisation.examine(await inputOf(file())));

  expect(answer).toEqual({
    method: 'double-quantisation',
    reason: { en: expect.stringContaining('JPEG save'), de: expect.stringContaining('JPEG-') },
  });
});

test('a picture with too few blocks is skipped with a reason', async () => {
  const small = fromScene(host).extract({ left: 0, top: 0, width: 136, height: 136 });

  const answer = worded(doubleQuantisation.examine(await inputOf(small.png())));

  expect(answer).toHaveProperty('reason.en', expect.stringContaining('too few blocks'));
});

test.each(Object.entries(last))(
  'the steps of the first save are read from a JPEG re-saved as %s',
  async (_, save) => {
    const scene = drawScene({ ...size, seed: 5 });
    const { facts } = (await inputOf(fromScene(scene).jpeg({ quality: 70 }))).picture;
    const { picture } = await inputOf(save(host));
    const steps = picture.facts.jpeg === null ? Array(64).fill(1) : lumaSteps(picture.facts.jpeg)!;
    const saved = { plane: storedLuma(picture), rgb: storedRgb(picture), steps };

    const { combs } = readBlocks({ ...saved, grid: { left: 0, top: 0 } });

    expect(combs.map((comb) => comb?.first)).toEqual(
      lumaSteps(facts.jpeg!)!.slice(0, combs.length),
    );
    expect(Math.min(...combs.map((comb) => comb!.doubled))).toBeGreaterThan(0.99);
  },
);

test.each([1, 2, 4, 9])(
  'boxMean over %i cells in each direction is the mean of the cells inside',
  (radius) => {
    const random = createRandom(2);
    const [columns, rows] = [7, 5];
    const values = Float32Array.from({ length: columns * rows }, () => random());

    const means = boxMean(values, columns, radius);

    for (let at = 0; at < values.length; at++) {
      const [x, y] = [at % columns, Math.floor(at / columns)];
      const near = values.filter(
        (_, other) =>
          Math.abs((other % columns) - x) <= radius &&
          Math.abs(Math.floor(other / columns) - y) <= radius,
      );
      expect(means[at]).toBeCloseTo(near.reduce((sum, value) => sum + value, 0) / near.length, 5);
    }
  },
);
