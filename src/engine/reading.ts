/**
 * One reading of a picture: the network's answer for every window of cells, and which of them speak for the picture.
 * Everything that a result says later is computed from these numbers.
 */

import type { Picture } from '../image/picture.ts';
import type { TraceModel } from '../inference/trace-model.ts';
import { distancesOf } from './anomaly.ts';
import type { Logits } from './calibration.ts';
import { type CellPosition, type Grid, insideGrid, patchStarts, windowOf } from './grid.ts';
import { cellTextures, mostTextured } from './texture.ts';
import { readFeatureGrid } from './tiles.ts';
import { meanWindows, type WindowMeans } from './windows.ts';

export interface Reading {
  /** Cells that cover the picture. */
  readonly grid: Grid;
  /** Size of a patch in cells; smaller than the model's where the picture is. */
  readonly window: Grid;
  /** Places a patch can take, row-major; `logits`, `embeddings` and `distances` have one entry for each. */
  readonly places: Grid;
  /** `[places, 3]`: raw real, fake, compression. */
  readonly logits: Float32Array;
  /** `[places, dimension]`, unit length. */
  readonly embeddings: Float32Array;
  /** Mahalanobis distance of each embedding from training. */
  readonly distances: Float64Array;
  /** Indices of the places on the patch grid. */
  readonly patches: readonly number[];
  /** Indices of the patches that speak for the picture, most textured first. */
  readonly read: readonly number[];
  /** `[read, channels]`: what the head saw of them, for the Monte Carlo passes. */
  readonly readFeatures: Float32Array;
  readonly meanLogits: Logits;
}

/** Windows that the head judges in one run: large enough to be fast, small enough to stay in the cache. */
const batchSize = 2048;

export async function readPicture(
  picture: Pick<Picture, 'facts' | 'rgb' | 'luma'>,
  model: TraceModel,
): Promise<Reading> {
  const { cellPx, patchCells, patchesRead } = model.manifest.input;
  const grid = await readFeatureGrid(picture, model);
  const window = windowOf(grid, patchCells);
  const windows = meanWindows(grid, window);
  const { logits, embeddings } = await judge(windows, model);

  const patches = patchPlaces(insideGrid(picture.facts, cellPx), grid, model);
  const textures = cellTextures(picture, grid, cellPx);
  const read = mostTextured(patches, textures, { grid, window, count: patchesRead });
  const indexOf = ({ row, column }: CellPosition) => row * windows.columns + column;
  const readIndices = read.map(indexOf);
  return {
    grid: { columns: grid.columns, rows: grid.rows },
    window,
    places: { columns: windows.columns, rows: windows.rows },
    logits,
    embeddings,
    distances: distancesOf(embeddings, model.statistics),
    patches: patches.map(indexOf),
    read: readIndices,
    readFeatures: rowsOf(windows.means, readIndices, windows.channels),
    meanLogits: meanLogits(logits, readIndices),
  };
}

/** Patches lie inside the picture as a whole; a picture too small for that is read as far as it goes. */
function patchPlaces(inside: Grid, covering: Grid, model: TraceModel): readonly CellPosition[] {
  const { patchCells, patchStrideCells } = model.manifest.input;
  const along = (whole: number, covered: number) =>
    patchStarts(whole < patchCells ? covered : whole, patchCells, patchStrideCells);
  const columns = along(inside.columns, covering.columns);
  return along(inside.rows, covering.rows).flatMap((row) =>
    columns.map((column) => ({ column, row })),
  );
}

/** The head's answer without dropout for every window. */
async function judge(windows: WindowMeans, model: TraceModel) {
  const { channels, means } = windows;
  const count = windows.columns * windows.rows;
  const dimension = model.statistics.embedding.dimension;
  const keepAll = new Float32Array(channels).fill(1);
  const logits = new Float32Array(count * 3);
  const embeddings = new Float32Array(count * dimension);
  for (let first = 0; first < count; first += batchSize) {
    const size = Math.min(batchSize, count - first);
    const features = means.subarray(first * channels, (first + size) * channels);
    const answer = await model.readHead(features, size, keepAll, 1);
    logits.set(answer.logits, first * 3);
    embeddings.set(answer.embeddings, first * dimension);
  }
  return { logits, embeddings };
}

function rowsOf(table: Float32Array, indices: readonly number[], width: number): Float32Array {
  const rows = new Float32Array(indices.length * width);
  indices.forEach((index, at) => {
    rows.set(table.subarray(index * width, (index + 1) * width), at * width);
  });
  return rows;
}

function meanLogits(logits: Float32Array, indices: readonly number[]): Logits {
  const meanOf = (output: number) =>
    indices.reduce((sum, index) => sum + logits[3 * index + output]!, 0) / indices.length;
  return { real: meanOf(0), fake: meanOf(1), compression: meanOf(2) };
}
