import { readFileSync } from 'node:fs';
import { expect, test, describe } from 'vitest';
import { planPatches } from '../../../src/engine/patches.ts';
import { halvePixels, toPlanes } from '../../../src/image/pixels.ts';
import { createRandom } from '../../../src/engine/calibration.ts';
import { gridOfMaps, ontoGrid } from '../../../src/engine/maps.ts';

interface Recorded {
  readonly width: number;
  readonly height: number;
  /** Rows and columns in cells, most textured first, by the rule of `patches.py`. */
  readonly patches: readonly (readonly [number, number])[];
  /** The same for the picture at half size. */
  readonly ofHalf: Recorded['patches'];
}

/** Written by `patches.py` in the same folder. */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('../../fixtures/patches.json', import.meta.url), 'utf8'),
);

/** The settings of `patches.py`. */
const input = { cellPx: 16, patchCells: 8, patchStrideCells: 4, patchesRead: 16 };

/** The picture of `patches.py`, pixel for pixel. */
function drawn(width: number, height: number) {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const noise = (x * 7919 + y * 104729 + x * y * 31) % 251;
      const strength = ((x >> 6) * 5 + (y >> 6) * 3) % 11;
      const grey = 40 + ((noise * strength) >> 4);
      rgb.set([grey, (grey * 3 + x) % 256, (grey + 2 * y) % 256], 3 * (y * width + x));
    }
  }
  return toPlanes({ width, height, rgb });
}

test.each(recorded)(
  '$width x $height: the same patches are read as in training, in the same order, at full and half size',
  ({ width, height, patches, ofHalf }) => {
    const picture = drawn(width, height);

    const [full, half] = [picture, toPlanes(halvePixels(picture))].map((planes) =>
      planPatches(planes, input).read.map(({ row, column }) => [row, column]),
    );

    expect(full).toEqual(patches);
    expect(half).toEqual(ofHalf);
  },
);

test('the generator reproduces the published numbers of SplitMix64 for the seed 1234567', () => {
  const random = createRandom(1_234_567);

  // Vigna's reference code; the upper 53 bits become the fraction.
  const published = [
    6457827717110365317n,
    3203168211198807973n,
    9817491932198370423n,
    4593380528125082431n,
    16408922859458223821n,
  ];
  expect(published.map(() => random())).toEqual(
    published.map((value) => Number(value >> 11n) / 2 ** 53),
  );
});

test.each([0, -1, Number.MAX_SAFE_INTEGER])('%i is a seed like any other', (seed) => {
  const random = createRandom(seed);
  const numbers = Array.from({ length: 2000 }, () => random());

  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, value) => sum + value, 0) / numbers.length).toBeCloseTo(0.5, 1);
});

test.each([
  [384, 256, 4, 96, 64],
  [1000, 800, 8, 125, 100],
  [4000, 3000, 16, 250, 188],
])('the grid of maps of %i x %i pixels has cells of %i', (width, height, cellPx, columns, rows) => {
  expect(gridOfMaps({ width, height })).toEqual({ cellPx, columns, rows });
});

describe('a map on another grid', () => {
  test('of the same cells is the same', () => {
    const values = Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6);

    const grid = { cellPx: 4, columns: 3, rows: 2 };
    expect(ontoGrid({ ...grid, values }, grid)).toEqual(values);
  });

  test('with larger cells has the means of the cells inside, even at the edge', () => {
    const values = Float32Array.of(0, 1, 1, 0, 1, 0.5);

    const [small, large] = [
      { cellPx: 4, columns: 3, rows: 2 },
      { cellPx: 8, columns: 2, rows: 1 },
    ];
    const larger = ontoGrid({ ...small, values }, large);

    expect([...larger]).toEqual([0.5, 0.75]);
  });

  test('with cells that do not divide evenly weights by overlap', () => {
    const values = Float32Array.of(1, 0, 0);

    const larger = ontoGrid(
      { cellPx: 4, columns: 3, rows: 1, values },
      { cellPx: 6, columns: 2, rows: 1 },
    );

    expect(larger[0]).toBeCloseTo(4 / 6, 6);
    expect(larger[1]).toBe(0);
  });

  test('with smaller cells interpolates linearly between centres and is constant beyond', () => {
    const smaller = ontoGrid(
      { cellPx: 8, columns: 2, rows: 1, values: Float32Array.of(0, 1) },
      { cellPx: 4, columns: 4, rows: 2 },
    );

    expect([...smaller]).toEqual([0, 0.25, 0.75, 1, 0, 0.25, 0.75, 1]);
  });
});
