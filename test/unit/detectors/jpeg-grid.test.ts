import { describe, expect, test } from 'vitest';
import { forEachBlock } from '../../../src/detectors/blocks.ts';
import {
  findBoxes,
  findMainGrid,
  logFactorials,
  logTail,
  countVotes,
} from '../../../src/detectors/jpeg-grid-regions.ts';
import {
  castVotes,
  createZeroCounter,
  nearestVote,
} from '../../../src/detectors/jpeg-grid-votes.ts';
import { jpegGrid } from '../../../src/detectors/jpeg-grid.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { orientationOf } from '../../fixtures/orientation.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';
import { pasted, resaved } from './histories.ts';
import { inputOf, worded } from './input.ts';

const size = { width: 384, height: 288 };
const box = { left: 24, top: 20, width: 112, height: 96 };

async function spliced() {
  const host = await resaved(drawScene({ ...size, seed: 5 }), 70);
  const donor = await resaved(drawScene({ ...size, seed: 6 }), 70);
  return { host, changed: pasted(host, donor, box, { x: 3, y: 5 }) };
}

test('a region from another JPEG is found where it lies, with the shift of its grid', async () => {
  const { changed } = await spliced();

  const answer = worded(jpegGrid.examine(await inputOf(fromScene(changed).png())));

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

  const answer = worded(jpegGrid.examine(await inputOf(fromScene(host).png())));

  expect(answer).toMatchObject({ score: 0.5, speaksFor: 'neither', strength: 'none' });
  expect(answer).not.toHaveProperty('map');
});

test.each([3, 5, 6, 8])(
  'a picture that EXIF orientation %i turns shows region and shift as its viewer sees them',
  async (orientation) => {
    const { changed } = await spliced();
    const stored = fromScene(orientationOf(orientation).toStored(changed));

    const answer = worded(
      jpegGrid.examine(await inputOf(stored.withMetadata({ orientation }).png())),
    );

    if (!('finding' in answer)) throw new Error('no region was found');
    const { measures, statement } = answer.finding;
    expect(measures).toMatchObject({ shiftAcross: 3, shiftDown: 5 });
    expect(Math.abs(measures['regionLeft']! - 27)).toBeLessThan(16);
    expect(statement.en).toContain('in the upper left, is shifted by (3, 5) pixels');
  },
);

test('where the grid of a turned picture begins is told of the picture before it is turned', async () => {
  const scene = await resaved(drawScene({ ...size, seed: 7 }), 75);
  const [whole, cropped] = [
    fromScene(scene),
    fromScene(scene).extract({ left: 3, top: 6, width: 320, height: 256 }),
  ];

  const [ofWhole, ofCropped] = await Promise.all(
    [whole, cropped].map(async (each) =>
      worded(jpegGrid.examine(await inputOf(each.withMetadata({ orientation: 6 }).png()))),
    ),
  );

  expect(ofWhole).toHaveProperty(
    'statement.en',
    expect.stringContaining('corner on (before its file has it turned'),
  );
  expect(ofCropped).toHaveProperty(
    'statement.de',
    expect.stringContaining('bei (5, 2) (bevor die Datei es drehen'),
  );
});

test('a picture that was cropped after a JPEG save tells where its grid begins', async () => {
  const scene = await resaved(drawScene({ ...size, seed: 7 }), 75);
  const cropped = fromScene(scene).extract({ left: 3, top: 6, width: 320, height: 256 });

  const answer = worded(jpegGrid.examine(await inputOf(cropped.png())));

  expect(answer).toMatchObject({ measures: { gridLeft: 5, gridTop: 2 }, speaksFor: 'neither' });
  expect(answer).toHaveProperty('statement.en', expect.stringContaining('begins at (5, 2)'));
});

test.each([1, 2, 3, 4])('in noise no grid is found, nor a region of any (%i)', async (seed) => {
  const random = createRandom(seed);
  const rgb = Uint8Array.from({ length: 3 * 512 * 448 }, () => 100 + 40 * random());
  const { picture } = await inputOf(fromScene({ width: 512, height: 448, rgb }).png());
  const counted = countVotes(castVotes({ luma: picture.luma, width: 512, height: 448 }));

  const boxes = findBoxes(counted, () => true);

  // The bound promises less than 0.001 such grids and less than 0.1 such boxes a picture.
  expect(findMainGrid(counted).logFalseAlarms).toBeGreaterThan(-3);
  expect(boxes.filter(({ logFalseAlarms }) => logFalseAlarms < -1)).toEqual([]);
});

test('a picture that never was a JPEG shows no grid', async () => {
  const answer = worded(
    jpegGrid.examine(await inputOf(fromScene(drawScene({ ...size, seed: 8 })).png())),
  );

  expect(answer).toMatchObject({ score: 0.5, strength: 'none' });
  expect(answer).toHaveProperty('statement.en', expect.stringContaining('no 8x8 grid'));
});

test('a picture of one colour shows no grid', async () => {
  const plain = { ...size, rgb: new Uint8Array(3 * size.width * size.height).fill(90) };

  const answer = worded(jpegGrid.examine(await inputOf(fromScene(plain).jpeg({ quality: 60 }))));

  expect(answer).toHaveProperty('statement.en', expect.stringContaining('no 8x8 grid'));
});

test('a picture below 64 pixels is skipped with a reason', async () => {
  const input = await inputOf(fromScene(drawScene({ ...size, seed: 1 })).png());
  const { picture } = input;
  const facts = { ...picture.facts, height: 60, storedHeight: 60 };

  const answer = worded(jpegGrid.examine({ ...input, picture: { ...picture, facts } }));

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
  expect(findMainGrid(countVotes(votes))).toMatchObject({ grid: 3 + 7 * 8 });
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
