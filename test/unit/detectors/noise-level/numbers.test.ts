import { describe, expect, test } from 'vitest';
import { bandsOf } from '../../../../src/detectors/noise-level/bands.ts';
import { fineStructureOf } from '../../../../src/detectors/noise-level/fine-structure.ts';
import { meanAround } from '../../../../src/detectors/noise-level/neighbourhood.ts';
import { outlying } from '../../../../src/detectors/noise-level/outlying.ts';
import { decodePicture } from '../../../../src/image/decode.ts';
import { createRandom, gaussianTable } from '../../../fixtures/noise.ts';
import { fromScene } from '../../../fixtures/pictures.ts';

/** A square of 11 by 11 values. */
function square(value: (x: number, y: number) => number) {
  return Float32Array.from({ length: 121 }, (_, at) => value(at % 11, Math.floor(at / 11)));
}

describe('bandsOf', () => {
  test('shading of second order is no fine structure', () => {
    const shaded = square((x, y) => 40 + 2 * x + 0.5 * x * x + y * y - 3 * x * y);

    const { diagonal, across, along, emptyShare } = bandsOf(shaded, 8, 0.5);

    expect([diagonal, across, along].map((band) => Math.round(1000 * band))).toEqual([0, 0, 0]);
    expect(emptyShare).toBe(1);
  });

  test('a chequerboard is diagonal, bars are across or along', () => {
    const chequered = bandsOf(
      square((x, y) => 100 + 5 * (-1) ** (x + y)),
      8,
      0.5,
    );
    const upright = bandsOf(
      square((x) => 100 + 5 * (-1) ** x),
      8,
      0.5,
    );
    const level = bandsOf(
      square((_, y) => 100 + 5 * (-1) ** y),
      8,
      0.5,
    );

    // The high pass answers (1 + 3 + 3 + 1) / 4 = 2 times the height to an alternation, the low pass 0, or 1 to no change.
    expect(chequered).toMatchObject({ diagonal: 20, across: 0, along: 0, emptyShare: 0 });
    expect(upright).toMatchObject({ diagonal: 0, across: 10, along: 0 });
    expect(level).toMatchObject({ diagonal: 0, across: 0, along: 10 });
    expect(chequered.peakedness).toBeCloseTo(0, 6);
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
