import { describe, expect, test } from 'vitest';
import { gridOfMaps, ontoGrid } from '../../../src/engine/maps.ts';

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

    expect(
      ontoGrid({ cellPx: 4, columns: 3, rows: 2, values }, { cellPx: 4, columns: 3, rows: 2 }),
    ).toEqual(values);
  });

  test('with larger cells has the means of the cells inside, even at the edge', () => {
    const values = Float32Array.of(0, 1, 1, 0, 1, 0.5);

    const larger = ontoGrid(
      { cellPx: 4, columns: 3, rows: 2, values },
      { cellPx: 8, columns: 2, rows: 1 },
    );

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
