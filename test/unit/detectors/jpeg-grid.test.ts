import { describe, expect, test } from 'vitest';
import { forEachBlock } from '../../../src/detectors/dct.ts';
import { jpegGrid } from '../../../src/detectors/jpeg-grid.ts';
import { logFactorials, logTail } from '../../../src/detectors/jpeg-grid/false-alarms.ts';
import { findMainGrid, tallyVotes } from '../../../src/detectors/jpeg-grid/regions.ts';
import { castVotes, nearestVote } from '../../../src/detectors/jpeg-grid/votes.ts';
import { createZeroCounter } from '../../../src/detectors/jpeg-grid/zero-counts.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';
import { pasted, resaved } from './histories.ts';
import { inputOf } from './input.ts';

const size = { width: 384, height: 288 };
const box = { left: 24, top: 20, width: 112, height: 96 };

async function spliced() {
  const host = await resaved(drawScene({ ...size, seed: 5 }), 70);
  const donor = await resaved(drawScene({ ...size, seed: 6 }), 70);
  return { host, changed: pasted(host, donor, box, { x: 3, y: 5 }) };
}

test('a region from another JPEG is found where it lies, with the shift of its grid', async () => {
  const { changed } = await spliced();

  const answer = jpegGrid.examine(await inputOf(fromScene(changed).png()));

  if (!('finding' in answer)) throw new Error('no region was found');
  const { measures, statement, score, speaksFor } = answer.finding;
  expect(measures).toMatchObject({ gridLeft: 0, gridTop: 0, shiftAcross: 3, shiftDown: 5 });
  expect(Math.abs(measures['regionLeft']! - 27)).toBeLessThan(16);
  expect(Math.abs(measures['regionTop']! - 25)).toBeLessThan(16);
  expect(measures['regionShare']).toBeCloseTo((112 * 96) / (384 * 288), 1);
  expect([speaksFor, score > 0.9]).toEqual(['fake', true]);
  expect(statement.en).toContain('in the upper left, is shifted by (3, 5) pixels');
  expect(statement.de).toContain('links oben, ist gegen den Rest um (3, 5) Pixel verschoben');
  const marked = (x: number, y: number) =>
    answer.map.values[Math.floor(y / 8) * answer.map.columns + Math.floor(x / 8)];
  expect(marked(80, 70)).toBeGreaterThan(0.9);
  expect(marked(300, 220)).toBe(0.5);
});

test('its untouched twin shows one grid and speaks for nothing', async () => {
  const { host } = await spliced();

  const answer = jpegGrid.examine(await inputOf(fromScene(host).png()));

  expect(answer).toMatchObject({ score: 0.5, speaksFor: 'neither', strength: 'none' });
  expect(answer).not.toHaveProperty('map');
});

test('a picture that was turned by its camera shows the region at the same place', async () => {
  const { changed } = await spliced();
  const turned = fromScene(changed).rotate(180);

  const answer = jpegGrid.examine(await inputOf(turned.withMetadata({ orientation: 3 }).png()));

  if (!('finding' in answer)) throw new Error('no region was found');
  expect(answer.finding.statement.en).toContain('in the upper left');
});

test('a picture that was cropped after a JPEG save tells where its grid begins', async () => {
  const scene = await resaved(drawScene({ ...size, seed: 7 }), 75);
  const cropped = fromScene(scene).extract({ left: 3, top: 6, width: 320, height: 256 });

  const answer = jpegGrid.examine(await inputOf(cropped.png()));

  expect(answer).toMatchObject({ measures: { gridLeft: 5, gridTop: 2 }, speaksFor: 'neither' });
  expect(answer).toHaveProperty('statement.en', expect.stringContaining('begins at (5, 2)'));
});

test('a picture that never was a JPEG shows no grid', async () => {
  const answer = jpegGrid.examine(await inputOf(fromScene(drawScene({ ...size, seed: 8 })).png()));

  expect(answer).toMatchObject({ score: 0.5, strength: 'none' });
  expect(answer).toHaveProperty('statement.en', expect.stringContaining('no 8x8 grid'));
});

test('a picture of one colour shows no grid', async () => {
  const plain = { ...size, rgb: new Uint8Array(3 * size.width * size.height).fill(90) };

  const answer = jpegGrid.examine(await inputOf(fromScene(plain).jpeg({ quality: 60 })));

  expect(answer).toHaveProperty('statement.en', expect.stringContaining('no 8x8 grid'));
});

test('a picture below 64 pixels is skipped with a reason', async () => {
  const input = await inputOf(fromScene(drawScene({ ...size, seed: 1 })).png());
  const { picture } = input;
  const facts = { ...picture.facts, height: 60, storedHeight: 60 };

  const answer = jpegGrid.examine({ ...input, picture: { ...picture, facts } });

  expect(answer).toHaveProperty('reason.de', expect.stringContaining('zu klein'));
});

test('of a large picture evenly spread squares vote, and find the same grid', async () => {
  const scene = await resaved(drawScene({ ...size, seed: 7 }), 75);
  const { picture } = await inputOf(
    fromScene(scene).extract({ left: 5, top: 1, width: 376, height: 280 }).png(),
  );
  const plane = { luma: picture.luma, width: 376, height: 280 };

  const votes = castVotes(plane, 40_000);

  expect(votes.tileStep).toBe(104);
  expect(votes.votes).toHaveLength(4 * 64 * 3 * 64);
  expect(findMainGrid(tallyVotes(votes))).toMatchObject({ grid: 3 + 7 * 8 });
  // The squares begin 7 pixels inside; between two of them the nearer one speaks.
  const nearest = [0, 7, 70, 89, 92, 111, 375].map((pixel) => nearestVote(pixel, 104, 256));
  expect(nearest).toEqual([0, 0, 63, 63, 64, 64, 248]);
});

/** Without the shift of half the range, which the constant coefficient comes with. */
function isZero(coefficient: number, at: number): boolean {
  return Math.abs(coefficient + (at === 0 ? 1024 : 0)) < 0.5;
}

describe('the zeros of a block', () => {
  test('are those of the transform as the standard writes it, at every offset', async () => {
    const scene = await resaved(drawScene({ width: 80, height: 80, seed: 3 }), 90);
    const { picture } = await inputOf(fromScene(scene).png());
    const plane = { luma: picture.luma, width: 80, height: 80 };
    const counts = createZeroCounter(40).count(plane, 9, 14);

    for (const [x, y] of [
      [0, 0],
      [7, 2],
      [13, 26],
      [39, 39],
    ] as const) {
      const rows = plane.luma.subarray((14 + y) * 80);
      const grid = { left: 9 + x, top: 0 };
      let zeros = 0;
      forEachBlock({ luma: rows, width: 80, height: 8 }, grid, (coefficients, block) => {
        if (block === 0) zeros = coefficients.filter(isZero).length;
      });

      expect(counts[y * 40 + x]).toBe(zeros);
    }
  });

  test('are not counted where all rows or all columns are alike', () => {
    const luma = Uint8Array.from({ length: 40 * 40 }, (_, at) => (at % 40) * 5);

    const counts = createZeroCounter(24).count({ luma, width: 40, height: 40 }, 0, 0);

    expect(counts.every((count) => count === 0)).toBe(true);
  });
});

describe('the number of false alarms', () => {
  const logs = logFactorials(400);

  test.each([
    // By hand: of 10 throws of a coin, 8 or more heads: (45 + 10 + 1) / 1024.
    [{ trials: 10, hits: 8, chance: 0.5 }, Math.log10(56 / 1024)],
    [{ trials: 3, hits: 3, chance: 1 / 64 }, -3 * Math.log10(64)],
    [{ trials: 10, hits: 2, chance: 0.5 }, 0],
  ])('of %o is known', (given, expected) => {
    expect(logTail({ ...given, logs })).toBeCloseTo(expected, 9);
  });

  test('adds up all terms of the binomial tail', () => {
    const term = (k: number) =>
      10 ** (logs[400]! - logs[k]! - logs[400 - k]!) * (1 / 64) ** k * (63 / 64) ** (400 - k);
    const sum = Array.from({ length: 385 }, (_, at) => term(16 + at)).reduce((a, b) => a + b);

    expect(logTail({ trials: 400, hits: 16, chance: 1 / 64, logs })).toBeCloseTo(
      Math.log10(sum),
      9,
    );
  });
});
