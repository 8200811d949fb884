import { expect, test } from 'vitest';
import { coveringGrid, insideGrid } from '../../../src/engine/feature-grid.ts';
import { patchStarts } from '../../../src/engine/patches.ts';

test('the covering grid contains every pixel, the inside grid only whole cells', () => {
  const size = { width: 129, height: 160 };

  expect(coveringGrid(size, 16)).toEqual({ columns: 9, rows: 10 });
  expect(insideGrid(size, 16)).toEqual({ columns: 8, rows: 10 });
});

test('a picture smaller than a cell still gets one', () => {
  expect(insideGrid({ width: 9, height: 40 }, 16)).toEqual({ columns: 1, rows: 2 });
});

test.each([
  [8, [0]],
  [5, [0]],
  [12, [0, 4]],
  [13, [0, 4, 5]],
  [19, [0, 4, 8, 11]],
])('patches along %i cells are four apart, with the last at the edge', (length, starts) => {
  expect(patchStarts(length, 8, 4)).toEqual(starts);
});
