import { expect, test } from 'vitest';
import { cellTextures, mostTextured } from '../../../src/engine/patches.ts';

function pictureOf(luma: number[][]) {
  const height = luma.length;
  const width = luma[0]?.length ?? 0;
  return { luma: Uint8Array.from(luma.flat()), facts: { width, height } };
}

test('a cell sums the differences between each pixel and its right and lower neighbours', () => {
  const picture = pictureOf([
    [0, 3, 3, 10],
    [0, 3, 3, 10],
    [5, 3, 3, 10],
  ]);

  const textures = cellTextures(picture, { columns: 2, rows: 2 }, 2);

  // Row by row: |right| + |below|; nothing beyond the edge.
  expect([...textures]).toEqual([3 + 0 + (3 + 5) + 0, 7 + 0 + 7 + 0, 2 + 0, 7 + 0]);
});

test('one pixel counts at most 32, so a hard edge is not texture', () => {
  const picture = pictureOf([[0, 255, 0, 255]]);

  expect([...cellTextures(picture, { columns: 1, rows: 1 }, 16)]).toEqual([96]);
});

test('the most textured places come first, equal ones from top to bottom and left to right', () => {
  const grid = { columns: 3, rows: 2 };
  const places = [0, 1].flatMap((row) => [0, 1, 2].map((column) => ({ row, column })));
  const textures = Float64Array.of(1, 7, 1, 1, 1, 9);

  const read = mostTextured(places, textures, { grid, window: { columns: 1, rows: 1 }, count: 4 });

  expect(read).toEqual([
    { row: 1, column: 2 },
    { row: 0, column: 1 },
    { row: 0, column: 0 },
    { row: 0, column: 2 },
  ]);
});

test('a position is ranked by its whole window', () => {
  const grid = { columns: 3, rows: 1 };
  const places = [
    { row: 0, column: 0 },
    { row: 0, column: 1 },
  ];
  const window = { columns: 2, rows: 1 };

  const read = mostTextured(places, Float64Array.of(5, 0, 6), { grid, window, count: 1 });

  expect(read).toEqual([{ row: 0, column: 1 }]);
});
