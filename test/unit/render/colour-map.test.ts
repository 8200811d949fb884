import { expect, test } from 'vitest';
import { colourCount, createColourMap, toOklab } from '../../../src/render/heatmap/colour-map.ts';

type Triple = [number, number, number];

const map = createColourMap();
const colour = (entry: number): Triple => [
  map[3 * entry]!,
  map[3 * entry + 1]!,
  map[3 * entry + 2]!,
];

test('toOklab gives the published values of white and of the three primaries', () => {
  // Ottosson's reference table is in XYZ; these are the sRGB values of CSS Color 4, section on oklab(), to 3 digits.
  expect(rounded([255, 255, 255])).toEqual([1, 0, 0]);
  expect(rounded([255, 0, 0])).toEqual([0.628, 0.225, 0.126]);
  expect(rounded([0, 255, 0])).toEqual([0.866, -0.234, 0.179]);
  expect(rounded([0, 0, 255])).toEqual([0.452, -0.032, -0.312]);
});

test('lightness grows from each colour to the next', () => {
  const falls = Array.from({ length: colourCount - 1 }, (_, i) => i).filter(
    (i) => toOklab(colour(i + 1))[0] <= toOklab(colour(i))[0],
  );

  expect(falls).toEqual([]);
});

test('grey conversion keeps the order of the colours', () => {
  const falls = Array.from({ length: colourCount - 1 }, (_, i) => i).filter(
    (i) => grey(colour(i + 1)) <= grey(colour(i)),
  );

  expect(falls).toEqual([]);
});

test('equal steps in value are equal steps in OKLab, to 4 %', () => {
  // Over 15 entries: a single step is no larger than what rounding to 8 bits can add or take.
  const steps = Array.from({ length: 17 }, (_, i) => {
    const from = toOklab(colour(15 * i));
    const to = toOklab(colour(15 * i + 15));
    return Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  });
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;

  expect(Math.max(...steps) / mean).toBeLessThan(1.04);
  expect(Math.min(...steps) / mean).toBeGreaterThan(0.96);
});

/** To 3 digits, without minus nought. */
function rounded(rgb: Triple): readonly number[] {
  return toOklab(rgb).map((value) => Math.round(value * 1000) / 1000 + 0);
}

/** Luma, ITU-R BT.601. */
function grey([r, g, b]: Triple): number {
  return 0.299 * r + 0.587 * g + 0.114 * b;
}
