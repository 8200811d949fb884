/**
 * What the trace network reads in a picture: the head's output at every position of a patch, for the maps, and the readings
 * that count for the picture. Every later result is computed from these numbers.
 *
 * Each patch is scored alone, and the picture is the weighted mean of logits: averaging features first was worse (AUC .739
 * against .760 on the calibration split), weights by texture gained .001, clipped logits nothing.
 */

import type { Planes } from '../image/pixels.ts';
import type { EmbeddingStatistics } from '../inference/statistics.ts';
import type { Views } from '../inference/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import type { Logits } from './calibration.ts';
import { type Grid, meanWindows, readFeatureGrid, type WindowMeans } from './feature-grid.ts';
import { type CellPosition, type PatchPlan, planPatches } from './patches.ts';
import { readTransformer, type TransformerReading } from './transformer.ts';
import { readViews, toReadingSize, type ViewFeatures } from './views.ts';

export interface PatchScores {
  /** Cells that cover the picture. */
  readonly grid: Grid;
  /** Size of a patch in cells; smaller than the model's where the picture is. */
  readonly window: Grid;
  /** Positions of a patch, row-major; `logits`, `embeddings` and `distances` have one entry for each. */
  readonly positions: Grid;
  /** `[positions, 3]`: raw real, fake, compression, as the maps show them. */
  readonly logits: Float32Array;
  /** `[positions, dimension]`, unit length. */
  readonly embeddings: Float32Array;
  /** Mahalanobis distance of each embedding from training. */
  readonly distances: Float64Array;
  /** Indices of the positions on the patch grid. */
  readonly patches: readonly number[];
  /** Side of a cell in pixels of the picture: the model's, or more where the picture was scaled to be read. */
  readonly cellPx: number;
  /** Indices of the patches that count for the picture, most textured first. */
  readonly read: readonly number[];
  readonly readings: Readings;
  /** Of the whole picture, with what the transformer adds. */
  readonly meanLogits: Logits;
  /** Null for a model without a transformer. */
  readonly transformer: TransformerReading | null;
}

/** All that counts for the picture: its patches, tiles in its own pixels, and the whole of it. */
export interface Readings {
  /** `[readings, channels]`: the head's input. */
  readonly features: Float32Array;
  /** How much the logits of each count, together 1. */
  readonly weights: readonly number[];
  /** What the transformer adds to the log odds of *fake*; 0 without one. */
  readonly shift: number;
}

export async function readPatchScores(picture: Planes, model: TraceModel): Promise<PatchScores> {
  const { plan, windows, readings: patches, cellPx } = await readPicture(picture, model);
  const { logits, embeddings } = await scoreWindows(windows, model);
  const transformer = await readTransformer(picture, model);
  const readings = { ...patches, shift: transformer?.shift ?? 0 };
  const positionIndex = ({ row, column }: CellPosition) => row * windows.columns + column;
  return {
    grid: plan.grid,
    window: plan.window,
    positions: { columns: windows.columns, rows: windows.rows },
    logits,
    embeddings,
    distances: distancesFromTraining(embeddings, model.statistics),
    patches: plan.all.map(positionIndex),
    read: plan.read.map(positionIndex),
    cellPx,
    readings,
    meanLogits: await scoreReadings(readings, model),
    transformer,
  };
}

/** The scores of the patches, tiles and the small view alone, without what the maps need and without the transformer. */
export async function readLogits(picture: Planes, model: TraceModel): Promise<Logits> {
  const { readings } = await readPicture(picture, model);
  return scoreReadings(readings, model);
}

async function readPicture(original: Planes, model: TraceModel) {
  const { input, views } = model.manifest;
  const picture = await toReadingSize(original, views);
  const isScaled = picture !== original;
  const plan = planPatches(picture, input);
  const cells = await readFeatureGrid(picture, model);
  const windows = meanWindows(cells, plan.window);
  const seen = await readViews(original, isScaled ? null : cells, model);
  return {
    plan,
    windows,
    readings: collectReadings(plan, windows, seen, views.weights),
    cellPx: (input.cellPx * original.facts.width) / picture.facts.width,
  };
}

function collectReadings(
  plan: PatchPlan,
  windows: WindowMeans,
  { tiles, whole }: ViewFeatures,
  weights: Views['weights'],
): Readings {
  const { channels, columns, means } = windows;
  const patches = plan.read.map(({ row, column }) => {
    const start = (row * columns + column) * channels;
    return means.subarray(start, start + channels);
  });
  const rows = [...patches, ...tiles, whole];
  const features = new Float32Array(rows.length * channels);
  rows.forEach((row, at) => features.set(row, at * channels));
  const weightOfPatches = weights.patches + (tiles.length === 0 ? weights.tiles : 0);
  return {
    features,
    weights: [
      ...patches.map(() => weightOfPatches / patches.length),
      ...tiles.map(() => weights.tiles / tiles.length),
      weights.whole,
    ],
    shift: 0,
  };
}

async function scoreReadings(readings: Readings, model: TraceModel): Promise<Logits> {
  const { logits } = await score(readings.features, readings.weights.length, model);
  return weightedLogits(logits, readings);
}

/**
 * Half of the shift goes to each side, so that their mean, which tells how much trace there is, stays that of the patches.
 *
 * @param logits - `[readings, 3]`.
 */
export function weightedLogits(
  logits: Float32Array,
  { weights, shift }: Pick<Readings, 'weights' | 'shift'>,
): Logits {
  const mean = (output: number) =>
    weights.reduce((sum, weight, at) => sum + weight * logits[3 * at + output]!, 0);
  return { real: mean(0) - shift / 2, fake: mean(1) + shift / 2, compression: mean(2) };
}

/** Windows that the head scores in one run: large enough to be fast, small enough to stay in the cache. */
const batchSize = 2048;

/** The head's output for every window. */
async function scoreWindows({ columns, rows, channels, means }: WindowMeans, model: TraceModel) {
  const count = columns * rows;
  const { dimension } = model.statistics.embedding;
  const logits = new Float32Array(count * 3);
  const embeddings = new Float32Array(count * dimension);
  for (let first = 0; first < count; first += batchSize) {
    const size = Math.min(batchSize, count - first);
    const batch = means.subarray(first * channels, (first + size) * channels);
    const answer = await score(batch, size, model);
    logits.set(answer.logits, first * 3);
    embeddings.set(answer.embeddings, first * dimension);
  }
  return { logits, embeddings };
}

/** Without dropout. @param features - `[count, channels]`. */
async function score(features: Float32Array, count: number, model: TraceModel) {
  const keepAll = new Float32Array(features.length / count).fill(1);
  return model.readHead(features, count, keepAll, 1);
}

/**
 * Mahalanobis distance of each embedding from the training distribution: |W (e - mean)| with W'W the inverse covariance.
 *
 * @param embeddings - `[count, dimension]`.
 */
export function distancesFromTraining(
  embeddings: Float32Array,
  { embedding }: EmbeddingStatistics,
): Float64Array {
  const { dimension } = embedding;
  const mean = Float64Array.from(embedding.mean);
  const whitening = Float64Array.from(embedding.whitening);
  const distances = new Float64Array(embeddings.length / dimension);
  const centred = new Float64Array(dimension);
  for (let at = 0; at < distances.length; at++) {
    for (let i = 0; i < dimension; i++) centred[i] = embeddings[at * dimension + i]! - mean[i]!;
    let squares = 0;
    for (let row = 0; row < dimension; row++) {
      let sum = 0;
      for (let i = 0; i < dimension; i++) sum += whitening[row * dimension + i]! * centred[i]!;
      squares += sum * sum;
    }
    distances[at] = Math.sqrt(squares);
  }
  return distances;
}
