import { expect, test } from 'vitest';
import { parseDuration } from '../../../src/cli/options.ts';

test.each([
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['90d', 7_776_000_000],
  ['3650d', 315_360_000_000],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '0d', '90', 'd', '1.5d', '-1d', '3651d', '1w', '1 d', '99999999d'])(
  '"%s" is refused',
  (text) => {
    expect(() => parseDuration(text)).toThrow('30m, 12h, 90d');
  },
);
