/** Frequencies that stand out in windows: of all of them, or of some adjacent ones. */

import { frequencyOf, spectrumWidth, type Windows, windowSide } from './resampling-spectra.ts';

/** Periods of eight pixels and their parts belong to the grid of JPEG, and 2 to the colour filter of the sensor. */
const jpegPeriods = windowSide / 8;
/** Structure of the motif fills the frequencies below. */
const lowest = 8;

/** Every frequency once that interpolation may leave and no grid does. */
const candidates = Int32Array.from({ length: windowSide * spectrumWidth }, (_, at) => at).filter(
  (at) => {
    const [down, along] = [frequencyOf(Math.floor(at / spectrumWidth)), at % spectrumWidth];
    const isTwin = (along === 0 || along === spectrumWidth - 1) && down < 0;
    return !isTwin && Math.hypot(down, along) > lowest && !(isOfGrid(down) && isOfGrid(along));
  },
);

/** A fence in one window must not count for the windows around it. */
const maxPower = 20;

/** Each window's powers, averaged with those of the windows around it: chance peaks elsewhere in each, a period does not. */
export function pooled(windows: Windows): Windows {
  const { columns, rows, powers } = windows;
  const capped = new Float32Array(powers.length);
  const bins = windowSide * spectrumWidth;
  for (let from = 0; from < powers.length; from += bins) {
    for (let at = 0; at < bins; at++) capped[from + at] = Math.min(maxPower, powers[from + at]!);
  }
  const across = averaged(capped, {
    length: columns,
    lines: rows,
    gap: bins,
    lineGap: columns * bins,
  });
  const means = averaged(across, {
    length: rows,
    lines: columns,
    gap: columns * bins,
    lineGap: bins,
  });
  return { ...windows, powers: means };
}

interface Lines {
  readonly length: number;
  readonly lines: number;
  /** In `powers`, from one window of a line to the next, and from one line to the next. */
  readonly gap: number;
  readonly lineGap: number;
}

/** Mean of each window and of those beside it in its line. */
function averaged(powers: Float32Array, { length, lines, gap, lineGap }: Lines): Float32Array {
  const means = new Float32Array(powers.length);
  for (let place = 0; place < length * lines; place++) {
    const along = place % length;
    const line = ((place - along) / length) * lineGap;
    const here = line + along * gap;
    const before = along > 0 ? here - gap : here;
    const behind = along < length - 1 ? here + gap : here;
    const share = 1 / (1 + Number(before < here) + Number(behind > here));
    for (let i = 0; i < candidates.length; i++) {
      const at = candidates[i]!;
      let sum = powers[here + at]!;
      if (before < here) sum += powers[before + at]!;
      if (behind > here) sum += powers[behind + at]!;
      means[here + at] = share * sum;
    }
  }
  return means;
}

export function meanSpectrum({ powers, columns, rows }: Windows): Float64Array {
  const mean = new Float64Array(windowSide * spectrumWidth);
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
  const bins = windowSide * spectrumWidth;
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
