/** Cells over a picture, and what the trace network reads in each of them. */

import type { Planes } from '../image/pixels.ts';
import type { TraceModel } from '../inference/networks.ts';

export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** Features of each cell: `values[channel * columns * rows + row * columns + column]`. */
export interface FeatureGrid extends Grid {
  readonly channels: number;
  readonly values: Float32Array;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Cells that cover a picture; the last column and row may hang over the edge. */
export function coveringGrid(size: Size, cellPx: number): Grid {
  return { columns: Math.ceil(size.width / cellPx), rows: Math.ceil(size.height / cellPx) };
}

/** Cells entirely inside a picture, at least one in each direction. */
export function insideGrid(size: Size, cellPx: number): Grid {
  return {
    columns: Math.max(1, Math.floor(size.width / cellPx)),
    rows: Math.max(1, Math.floor(size.height / cellPx)),
  };
}

/** The network's features of all cells that cover the picture. The picture is read whole, so its size must be bounded. */
export async function readFeatureGrid(
  picture: Pick<Planes, 'rgb' | 'facts'>,
  model: TraceModel,
): Promise<FeatureGrid> {
  const { cellPx } = model.manifest.input;
  const grid = coveringGrid(picture.facts, cellPx);
  const rgb = padToCells(picture, cellPx);
  const values = await model.readFeatures(rgb, grid.columns * cellPx, grid.rows * cellPx);
  return { ...grid, channels: values.length / (grid.columns * grid.rows), values };
}

/** RGB of whole cells, edge pixels repeated; the picture's own array where no cell hangs over the edge. */
export function padToCells(
  { rgb, facts }: { readonly rgb: Uint8Array; readonly facts: Size },
  cellPx: number,
): Uint8Array {
  const { columns, rows } = coveringGrid(facts, cellPx);
  const [width, height] = [columns * cellPx, rows * cellPx];
  if (width === facts.width && height === facts.height) return rgb;
  const padded = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * Math.min(y, facts.height - 1) * facts.width;
    const to = 3 * y * width;
    padded.set(rgb.subarray(from, from + 3 * facts.width), to);
    for (let at = to + 3 * facts.width; at < to + 3 * width; at++) padded[at] = padded[at - 3]!;
  }
  return padded;
}

/** Mean of each feature over all cells. */
export function meanFeatures({ channels, columns, rows, values }: FeatureGrid): Float32Array {
  const cells = columns * rows;
  return Float32Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) sum += values[channel * cells + cell]!;
    return sum / cells;
  });
}

/** Means of features over a window of cells, at every position where the window fits. */
export interface WindowMeans {
  /** Positions of the window: `grid - window + 1` in each direction, row-major. */
  readonly columns: number;
  readonly rows: number;
  readonly channels: number;
  /** `means[(row * columns + column) * channels + channel]`: one row of numbers a window, as the head expects it. */
  readonly means: Float32Array;
}

/**
 * Box means by running sums: the cost does not depend on the window's size. Sums are kept in double precision, so that
 * adding and subtracting a value leaves no error that a float32 could show.
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
