import { describe, expect, test } from 'vitest';
import { gridOfMaps, ontoGrid } from '../../../src/engine/maps.ts';

describe('the grid of maps', () => {
  test.each([
    [384, 256, 4, 96, 64],
    [1000, 800, 8, 125, 100],
    [4000, 3000, 16, 250, 188],
  ])('of %i x %i pixels has cells of %i', (width, height, cellPx, columns, rows) => {
    expect(gridOfMaps({ width, height })).toEqual({ cellPx, columns, rows });
  });
});

describe('a map on another grid', () => {
  test('of the same cells is the same', () => {
    const values = Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6);

    expect(
      ontoGrid({ cellPx: 4, columns: 3, rows: 2, values }, { cellPx: 4, columns: 3, rows: 2 }),
    ).toEqual(values);
  });

  test('of larger cells has the means of those inside, of however many there are at the edge', () => {
    const values = Float32Array.of(0, 1, 1, 0, 1, 0.5);

    const larger = ontoGrid(
      { cellPx: 4, columns: 3, rows: 2, values },
      { cellPx: 8, columns: 2, rows: 1 },
    );

    expect([...larger]).toEqual([0.5, 0.75]);
  });

  test('of larger cells that do not divide evenly weighs by overlap', () => {
    const values = Float32Array.of(1, 0, 0);

    const larger = ontoGrid(
      { cellPx: 4, columns: 3, rows: 1, values },
      { cellPx: 6, columns: 2, rows: 1 },
    );

    expect(larger[0]).toBeCloseTo(4 / 6, 6);
    expect(larger[1]).toBe(0);
  });

  test('of smaller cells goes in straight lines from middle to middle and stays level beyond', () => {
    const smaller = ontoGrid(
      { cellPx: 8, columns: 2, rows: 1, values: Float32Array.of(0, 1) },
      { cellPx: 4, columns: 4, rows: 2 },
    );

    expect([...smaller]).toEqual([0, 0.25, 0.75, 1, 0, 0.25, 0.75, 1]);
  });
});
