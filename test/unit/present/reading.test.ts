import { expect, test } from 'vitest';
import { readMap } from '../../../src/present/report-texts.ts';
import { makeMaps } from './examination.ts';

const size = { width: 320, height: 320, cellPx: 32 };

test('readMap finds mean, peak, its ninth of the picture, and the share above one half', () => {
  const maps = makeMaps(size, (u, v) => (u > 0.9 && v > 0.9 ? 1 : 0.25));

  const { mean, highest, place, shareAboveHalf, isEven } = readMap(maps, 'fake');

  expect(mean).toBeCloseTo(0.25 + 0.75 / 100, 4);
  expect({ highest, place, shareAboveHalf, isEven }).toEqual({
    highest: 1,
    place: 'lower_right',
    shareAboveHalf: 0.01,
    isEven: false,
  });
});

test('a map without relief is even, and the place of a one-cell map is the middle', () => {
  expect(
    readMap(
      makeMaps(size, () => 0.4),
      'real',
    ).isEven,
  ).toBe(true);
  const one = makeMaps({ width: 65, height: 65, cellPx: 128 }, () => 0.4);
  expect(readMap(one, 'real').place).toBe('middle');
});
