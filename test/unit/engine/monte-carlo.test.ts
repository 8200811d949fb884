import { expect, test } from 'vitest';
import { dropoutMasks, standardDeviation } from '../../../src/engine/monte-carlo.ts';

const dropout = { rate: 0.2, passes: 64 };

test('a mask leaves out the stated share and scales the rest, so that the mean stays one', () => {
  const masks = dropoutMasks(dropout, 96, 1337);

  const dropped = masks.filter((value) => value === 0).length / masks.length;
  expect(new Set(masks)).toEqual(new Set([0, 1.25]));
  expect(dropped).toBeCloseTo(0.2, 1);
});

test('the same seed gives the same masks, another seed others', () => {
  expect(dropoutMasks(dropout, 96, 7)).toEqual(dropoutMasks(dropout, 96, 7));
  expect(dropoutMasks(dropout, 96, 7)).not.toEqual(dropoutMasks(dropout, 96, 8));
});

test('the standard deviation is that of the values themselves', () => {
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
  expect(standardDeviation([0.3, 0.3])).toBe(0);
});
