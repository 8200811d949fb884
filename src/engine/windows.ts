/** Means of features over a window of cells, at every place where the window fits. */

import type { FeatureGrid, Grid } from './grid.ts';

export interface WindowMeans {
  /** Places the window can take: `grid - window + 1` in each direction, row-major. */
  readonly columns: number;
  readonly rows: number;
  readonly channels: number;
  /** `means[(row * columns + column) * channels + channel]`: one row of numbers a window, as the head wants it. */
  readonly means: Float32Array;
}

/**
 * Box means by running sums: the cost does not depend on the window's size. Sums are kept in double precision, so that
 * what is added and taken away again leaves nothing behind that a float32 could show.
 */
export function meanWindows(features: FeatureGrid, window: Grid): WindowMeans {
  const { channels, columns, rows, values } = features;
  const acrossCount = columns - window.columns + 1;
  const downCount = rows - window.rows + 1;
  const means = new Float32Array(acrossCount * downCount * channels);
  // Sum of the window's rows in each column, for each channel: slides down with `row`.
  const columnSums = new Float64Array(channels * columns);
  const weight = 1 / (window.columns * window.rows);

  for (let row = 0; row < rows; row++) {
    const top = row - window.rows + 1;
    for (let channel = 0; channel < channels; channel++) {
      const plane = channel * rows * columns;
      const sums = channel * columns;
      for (let x = 0; x < columns; x++) {
        const leaving = top > 0 ? values[plane + (top - 1) * columns + x]! : 0;
        columnSums[sums + x]! += values[plane + row * columns + x]! - leaving;
      }
      if (top < 0) continue;

      let sum = 0;
      for (let x = 0; x < columns; x++) {
        const left = x - window.columns + 1;
        sum += columnSums[sums + x]! - (left > 0 ? columnSums[sums + left - 1]! : 0);
        if (left >= 0) means[(top * acrossCount + left) * channels + channel] = sum * weight;
      }
    }
  }
  return { columns: acrossCount, rows: downCount, channels, means };
}
