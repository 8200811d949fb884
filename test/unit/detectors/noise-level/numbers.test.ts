import { describe, expect, test } from 'vitest';
import {
  bandsOf,
  diagonalOf,
  halvePicture,
  meanOf,
} from '../../../../src/detectors/noise-bands.ts';
import { outlying, quantileOf } from '../../../../src/detectors/noise-outliers.ts';
import { fineStructureOf, meanAround } from '../../../../src/detectors/noise-structure.ts';
import { decodePicture } from '../../../../src/image/decode.ts';
import { createRandom, gaussianTable } from '../../../fixtures/noise.ts';
import { fromScene } from '../../../fixtures/pictures.ts';

/** A square of 8 by 8 values with what its filters need around it, inside rows of 20. */
function square(value: (x: number, y: number) => number) {
  const values = Float32Array.from({ length: 20 * 11 }, (_, at) =>
    value((at % 20) - 5, Math.floor(at / 20)),
  );
  return { values, width: 20, start: 5, side: 8 };
}

describe('bandsOf', () => {
  test('shading of second order is no fine structure', () => {
    const shaded = square((x, y) => 40 + 2 * x + 0.5 * x * x + y * y - 3 * x * y);

    const { diagonal, across, along, emptyShare } = bandsOf(shaded, 0.5);

    expect([diagonal, across, along].map((band) => Math.round(1000 * band))).toEqual([0, 0, 0]);
    expect(emptyShare).toBe(1);
  });

  test('a chequerboard is diagonal, bars are across or along', () => {
    const chequered = bandsOf(
      square((x, y) => 100 + 5 * (-1) ** (x + y)),
      0.5,
    );
    const upright = bandsOf(
      square((x) => 100 + 5 * (-1) ** x),
      0.5,
    );
    const level = bandsOf(
      square((_, y) => 100 + 5 * (-1) ** y),
      0.5,
    );

    // The high pass answers (1 + 3 + 3 + 1) / 4 = 2 times the height to an alternation, the low pass 0, or 1 to no change.
    expect(chequered).toMatchObject({ diagonal: 20, across: 0, along: 0, emptyShare: 0 });
    expect(upright).toMatchObject({ diagonal: 0, across: 10, along: 0 });
    expect(level).toMatchObject({ diagonal: 0, across: 0, along: 10 });
    expect(chequered.peakedness).toBeCloseTo(0, 6);
  });

  test('what lies outside the square does not count', () => {
    const inside = square((x, y) => (7 * x * y) % 31);
    const values = inside.values.map((value, at) => (at % 20 < 5 || at % 20 > 15 ? 255 : value));

    expect(bandsOf({ ...inside, values }, 0.5)).toEqual(bandsOf(inside, 0.5));
  });

  test('its diagonal alone is the same, and its mean that of all values it needs', () => {
    const textured = square((x, y) => (7 * x * y) % 31);

    expect(diagonalOf(textured)).toBeCloseTo(bandsOf(textured, 0.5).diagonal, 9);
    expect(meanOf(square((x) => 10 * x))).toBeCloseTo(50, 9);
  });
});

describe('outlying', () => {
  const noise = gaussianTable(createRandom(3));
  const count = 4000;
  /** A context x, and a number 2 x + noise; then a point far along that line, and one beside it. */
  const numbers = new Float32Array(2 * count + 4);
  for (let at = 0; at < count; at++) {
    numbers[2 * at] = noise[2 * at]!;
    numbers[2 * at + 1] = 2 * noise[2 * at]! + 0.5 * noise[2 * at + 1]!;
  }
  numbers.set([6, 12, 0, 3], 2 * count);
  const points = { numbers, dimensions: 2, context: 1, usable: new Uint8Array(count + 2).fill(1) };

  test('what the context explains is not far away, however rare the context', () => {
    const distances = outlying(points);

    expect(distances[count]).toBeLessThan(4);
    expect(distances[count + 1]).toBeGreaterThan(20);
  });

  test('distances do not depend on the units of the numbers', () => {
    const others = numbers.map((value, at) => (at % 2 === 0 ? 7 * value + 100 : value / 9 - 4));

    const distances = outlying({ ...points, numbers: others });

    const furthest = outlying(points).map((expected, at) => Math.abs(distances[at]! - expected));
    expect(Math.max(...furthest)).toBeLessThan(0.05);
  });

  test('a number that all points share but for rounding says nothing', () => {
    const beside = new Float32Array(3 * (count + 2));
    for (let at = 0; at < count + 2; at++) {
      beside.set(
        [numbers[2 * at]!, numbers[2 * at + 1]!, -2.3 + (at % 911 === 0 ? 1e-6 : 0)],
        3 * at,
      );
    }

    const distances = outlying({ ...points, numbers: beside, dimensions: 3 });

    expect(distances).toEqual(outlying(points));
  });

  test('of very many points a part is fitted, and all are measured', () => {
    const [many, times] = [40_020, 10];
    const repeated = {
      ...points,
      numbers: new Float32Array(2 * many),
      usable: new Uint8Array(many).fill(1),
    };
    for (let i = 0; i < times; i++) repeated.numbers.set(numbers, i * numbers.length);

    const distances = outlying(repeated);

    expect(distances[count]).toBeLessThan(4);
    expect(distances[count + 1]).toBeGreaterThan(20);
    expect(distances[many - 1]).toBeGreaterThan(20);
  });

  test('that only every other of many points is usable does not matter', () => {
    const many = 24_012;
    const striped = { ...points, numbers: new Float32Array(2 * many) };
    for (let at = 0; at < many; at++) {
      const from = Math.floor(at / 2) % (count + 2);
      striped.numbers.set(numbers.subarray(2 * from, 2 * from + 2), 2 * at);
    }
    const usable = Uint8Array.from({ length: many }, (_, at) => at % 2);

    const distances = outlying({ ...striped, usable });

    expect(distances[2 * count + 1]).toBeLessThan(4);
    expect(distances[2 * count + 3]).toBeGreaterThan(20);
  });
});

test('meanAround moves its square at the border and leaves out what is not usable', () => {
  const grid = {
    columns: 4,
    rows: 3,
    usable: Uint8Array.from([1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
  };
  const values = Float32Array.from([1, 2, 3, 4, 5, 99, 7, 8, 9, 10, 11, 12]);

  const means = meanAround(values, grid, { each: 1, reach: 1 });

  const [left, right] = [
    (1 + 2 + 3 + 5 + 7 + 9 + 10 + 11) / 8,
    (2 + 3 + 4 + 7 + 8 + 10 + 11 + 12) / 8,
  ];
  const row = [left, left, right, right];
  expect([...means]).toEqual([...row, ...row, ...row]);
});

test('planes are halved by the mean of four pixels, and odd edges are left out', async () => {
  const rgb = Uint8Array.from({ length: 3 * 67 * 69 }, (_, at) => (at * 37) % 251);
  const picture = await decodePicture(
    await fromScene({ width: 67, height: 69, rgb }).png().toBuffer(),
  );

  const { luma, blue, red } = halvePicture(picture);

  expect([luma.width, luma.height, luma.values.length]).toEqual([33, 34, 33 * 34]);
  const four = [0, 1, 67, 68].map((at) => 2 * 67 * 5 + 2 * 9 + at);
  const mean = (value: (pixel: number) => number) =>
    four.reduce((sum, pixel) => sum + value(pixel), 0) / 4;
  const at = 5 * 33 + 9;
  expect(luma.values[at]).toBeCloseTo(
    mean((pixel) => picture.luma[pixel]!),
    4,
  );
  const colour = (r: number, g: number, b: number) =>
    mean((pixel) => r * rgb[3 * pixel]! + g * rgb[3 * pixel + 1]! + b * rgb[3 * pixel + 2]!);
  expect(blue.values[at]).toBeCloseTo(colour(-0.169, -0.331, 0.5), 3);
  expect(red.values[at]).toBeCloseTo(colour(0.5, -0.419, -0.081), 3);
});

test('quantileOf is what sorting gives, of equal values too', () => {
  const random = createRandom(5);
  for (const distinct of [3, 1e6]) {
    const values = Float32Array.from({ length: 501 }, () => Math.floor(random() * distinct));
    const usable = Uint8Array.from(values, () => (random() < 0.8 ? 1 : 0));
    const sorted = values.filter((_, at) => usable[at] === 1).toSorted();

    for (const share of [0, 0.25, 0.5, 0.99, 1]) {
      expect(quantileOf(values, usable, share)).toBe(
        sorted[Math.floor(share * (sorted.length - 1))],
      );
    }
  }
});

test('a large picture is read in larger cells, never more than 65,536', async () => {
  const [width, height] = [3000, 2000];
  const plain = { width, height, rgb: new Uint8Array(3 * width * height).fill(90) };
  const picture = await decodePicture(await fromScene(plain).jpeg({ quality: 50 }).toBuffer());

  const { cellPx, columns, rows, usable } = fineStructureOf(picture);

  expect({ cellPx, columns, rows, cells: usable.length }).toEqual({
    cellPx: 16,
    columns: 188,
    rows: 125,
    cells: 23_500,
  });
});
