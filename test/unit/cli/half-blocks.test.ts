import { expect, test } from 'vitest';
import { halfBlockLines, nearestOf256 } from '../../../src/cli/analyze/preview.ts';

const red = [255, 0, 0];
const blue = [0, 0, 255];

test('a cell shows the upper pixel in front and the lower one behind', () => {
  const rgb = Uint8Array.from([...red, ...blue]);

  expect(halfBlockLines({ width: 1, height: 2, rgb }, 24)).toEqual([
    '\u001b[38;2;255;0;0;48;2;0;0;255m▀\u001b[0m',
  ]);
});

test('colours are said only where they change, and an odd last row leaves the terminal behind it', () => {
  const rgb = Uint8Array.from([...red, ...red, ...blue]);

  expect(halfBlockLines({ width: 3, height: 1, rgb }, 8)).toEqual([
    '\u001b[38;5;196;49m▀▀\u001b[38;5;21;49m▀\u001b[0m',
  ]);
});

/** The table as xterm's own script 256colres.pl makes it: entry 16 up, cube first, then greys. */
const table = [
  ...Array.from({ length: 216 }, (_, n) =>
    [Math.floor(n / 36), Math.floor(n / 6) % 6, n % 6].map((i) => (i === 0 ? 0 : 40 * i + 55)),
  ),
  ...Array.from({ length: 24 }, (_, n) => [8 + 10 * n, 8 + 10 * n, 8 + 10 * n]),
];
const squared = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0);

test('of 256 colours one is taken that none is nearer than', () => {
  for (let n = 0; n < 4096; n++) {
    const rgb = [(n >> 8) * 17, ((n >> 4) & 15) * 17, (n & 15) * 17] as const;
    const least = Math.min(...table.map((entry) => squared(entry, rgb)));

    expect(squared(table[nearestOf256(rgb) - 16]!, rgb)).toBe(least);
  }
});
