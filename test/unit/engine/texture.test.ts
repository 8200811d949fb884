import { expect, test } from 'vitest';
import { cellTextures } from '../../../src/engine/patches.ts';

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
