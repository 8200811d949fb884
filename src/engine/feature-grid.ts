/** Divides a picture into cells and stores the trace network's features of each cell. */

import type { Size, Planes } from '../image/pixels.ts';
import type { TraceModel } from '../inference/networks.ts';

export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** Features of the cells: `values[channel * columns * rows + row * columns + column]`. */
export interface FeatureGrid extends Grid {
  readonly channels: number;
  readonly values: Float32Array;
}

/** The grid of cells that covers a picture; the last column and row may extend past the edge. */
export function coveringGrid(size: Size, cellPx: number): Grid {
  return { columns: Math.ceil(size.width / cellPx), rows: Math.ceil(size.height / cellPx) };
}

/** The grid of those cells that lie entirely inside a picture; at least one in each direction. */
export function insideGrid(size: Size, cellPx: number): Grid {
  return {
    columns: Math.max(1, Math.floor(size.width / cellPx)),
    rows: Math.max(1, Math.floor(size.height / cellPx)),
  };
}

/** The features of every cell. The network reads the whole picture at once, so the caller must limit its size. */
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

/** Pads the RGB to whole cells by repeating the pixels at the edge; if no padding is needed, returns the same array. */
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

/** Mean features over a window of cells, at every position where the window fits. */
export interface WindowMeans {
  /** Number of window positions in each direction, `grid - window + 1`, row-major. */
  readonly columns: number;
  readonly rows: number;
  readonly channels: number;
  /** `means[(row * columns + column) * channels + channel]`: one row for each window, as the head expects. */
  readonly means: Float32Array;
}

/** Box filter with running sums, so that the time does not depend on the window size. */
export function meanWindows(
  { channels, columns, rows, values }: FeatureGrid,
  window: Grid,
): WindowMeans {
  const cells = columns * rows;
  const positions = { columns: columns - window.columns + 1, rows: rows - window.rows + 1 };
  const means = new Float32Array(positions.columns * positions.rows * channels);
  for (let channel = 0; channel < channels; channel++) {
    const plane = values.subarray(channel * cells, (channel + 1) * cells);
    slideWindow(plane, columns, window, { means: means.subarray(channel), step: channels });
  }
  return { ...positions, channels, means };
}

/** Writes means `step` apart. The sums are doubles, so that adding and subtracting leaves no error in a float32. */
function slideWindow(
  plane: Float32Array,
  columns: number,
  window: Grid,
  { means, step }: { readonly means: Float32Array; readonly step: number },
): void {
  // For each column, the sum over the rows of the window, which slides down.
  const sums = new Float64Array(columns);
  const weight = 1 / (window.columns * window.rows);
  for (let at = 0, to = 0; at < plane.length; at += columns) {
    const leaves = at - window.rows * columns;
    for (let x = 0; x < columns; x++) {
      sums[x]! += plane[at + x]! - (leaves < 0 ? 0 : plane[leaves + x]!);
    }
    if (at < (window.rows - 1) * columns) continue;
    let sum = 0;
    for (let x = 0; x < columns; x++) {
      sum += sums[x]! - (x < window.columns ? 0 : sums[x - window.columns]!);
      if (x < window.columns - 1) continue;
      means[to] = sum * weight;
      to += step;
    }
  }
}
