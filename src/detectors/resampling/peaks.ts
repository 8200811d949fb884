/** Frequencies that stand out in windows: of all of them, or of some that lie together. */

import { frequencyOf, half, side, type Windows } from './spectra.ts';

/** Periods of eight pixels and their parts belong to the grid of JPEG, and 2 to the colour filter of the sensor. */
const jpegPeriods = side / 8;
/** Structure of the motif fills the frequencies below. */
const lowest = 8;

/** Every frequency once that interpolation may leave and no grid does. */
const candidates = Int32Array.from({ length: side * half }, (_, at) => at).filter((at) => {
  const [down, along] = [frequencyOf(Math.floor(at / half)), at % half];
  const isTwin = (along === 0 || along === half - 1) && down < 0;
  return !isTwin && Math.hypot(down, along) > lowest && !(isOfGrid(down) && isOfGrid(along));
});

/** A fence in one window may not speak for the windows around it. */
const mostPower = 20;

/** Each window's powers, averaged with those of the windows around it: chance peaks elsewhere in each, a period does not. */
export function pooled(windows: Windows): Windows {
  const { columns, rows, powers } = windows;
  const means = new Float32Array(powers.length);
  const bins = side * half;
  for (let window = 0; window < columns * rows; window++) {
    const column = window % columns;
    const row = (window - column) / columns;
    const [left, right] = [Math.max(0, column - 1), Math.min(columns - 1, column + 1)];
    const [top, bottom] = [Math.max(0, row - 1), Math.min(rows - 1, row + 1)];
    const share = 1 / ((right - left + 1) * (bottom - top + 1));
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const from = (y * columns + x) * bins;
        for (const at of candidates) {
          means[window * bins + at]! += share * Math.min(mostPower, powers[from + at]!);
        }
      }
    }
  }
  return { ...windows, powers: means };
}

export function meanSpectrum({ powers, columns, rows }: Windows): Float64Array {
  const mean = new Float64Array(side * half);
  for (let window = 0; window < columns * rows; window++) {
    for (const at of candidates) mean[at]! += powers[window * mean.length + at]! / (columns * rows);
  }
  return mean;
}

/** @returns greatest mean power over the windows, 1 for noise. */
export function commonPeak(spectrum: Float64Array): number {
  return spectrum.reduce((highest, power) => Math.max(highest, power), 0);
}

/** Of each window: how far its power rises above the mean of all windows at one frequency, at most. */
export function ownPeaks({ powers, columns, rows }: Windows, spectrum: Float64Array): Float32Array {
  const bins = side * half;
  return Float32Array.from({ length: columns * rows }, (_, window) => {
    let highest = 0;
    for (const at of candidates) {
      highest = Math.max(highest, powers[window * bins + at]! - spectrum[at]!);
    }
    return highest;
  });
}

function isOfGrid(frequency: number): boolean {
  const beyond = Math.abs(frequency) % jpegPeriods;
  return Math.min(beyond, jpegPeriods - beyond) <= 1;
}
