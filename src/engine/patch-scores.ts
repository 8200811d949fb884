/**
 * Scores a picture with the trace network: the head's output at every patch position, for the maps, and the readings
 * from which the picture's score is computed. All later results are computed from these numbers.
 *
 * Each patch is scored on its own, and the picture's logit is the weighted mean. On the calibration set, averaging the
 * features instead was worse (AUC .739 against .760), weighting by texture gained .001, and clipping logits nothing.
 */

import { scalePixels } from '../image/codec.ts';
import { type Planes, scaledSize, toPlanes } from '../image/pixels.ts';
import type { EmbeddingStatistics, Transformer, Views } from '../contract/manifest.ts';
import { pictureKinds } from '../contract/vocabulary.ts';
import type { TraceModel } from '../inference/networks.ts';
import { type Logits, sigmoid } from './calibration.ts';
import {
  type CellPosition,
  cutSquare,
  type FeatureGrid,
  meanFeatures,
  meanWindows,
  type PatchPlan,
  planPatches,
  readFeatureGrid,
  texturedWindows,
  type WindowMeans,
} from './patches.ts';

export type PatchScores = Awaited<ReturnType<typeof readPatchScores>>;

/** Everything that contributes to the picture's score: patches, full-resolution tiles, a view of the whole. */
export interface Readings {
  /** `[readings, channels]`: the input of the head. */
  readonly features: Float32Array;
  /** Weight of each reading's logits; they add up to 1. */
  readonly weights: readonly number[];
  /** What the transformer adds to the log odds of *fake*; 0 if there is none. */
  readonly shift: number;
}

export async function readPatchScores(picture: Planes, model: TraceModel) {
  const { plan, windows, readings: patches, cellPx } = await readPicture(picture, model);
  const { logits, embeddings } = await scoreWindows(windows, model);
  const transformer = await readTransformer(picture, model);
  const readings = { ...patches, shift: transformer?.shift ?? 0 };
  const positionIndex = ({ row, column }: CellPosition) => row * windows.columns + column;
  return {
    /** The grid of cells that covers the picture. */
    grid: plan.grid,
    /** Patch size in cells. */
    window: plan.window,
    /** Patch positions, row-major; `logits`, `embeddings` and `distances` have an entry for each. */
    positions: { columns: windows.columns, rows: windows.rows },
    /** `[positions, 3]`: raw real, fake and compression logits, as shown in the maps. */
    logits,
    /** `[positions, dimension]`, unit length. */
    embeddings,
    distances: distancesFromTraining(embeddings, model.statistics),
    /** Indices of those positions that lie on the patch grid. */
    patches: plan.all.map(positionIndex),
    /** Indices of the patches that contribute to the picture's score, the most textured first. */
    read: plan.read.map(positionIndex),
    /** Side of a cell in pixels of the original picture: larger than in the manifest if the picture was scaled down. */
    cellPx,
    readings,
    /** Weighted logits of the whole picture, with the shift by the transformer. */
    meanLogits: await scoreReadings(readings, model),
    /** Null for a model without a transformer. */
    transformer,
  };
}

/** The picture's logits from patches, tiles and the small view, without the transformer and what only maps need. */
export async function readLogits(picture: Planes, model: TraceModel): Promise<Logits> {
  const { readings } = await readPicture(picture, model);
  return scoreReadings(readings, model);
}

async function readPicture(original: Planes, model: TraceModel) {
  const { input, views } = model.manifest;
  const pixels = original.facts.width * original.facts.height;
  // Patches and maps of a larger picture are based on a copy scaled down to this size.
  const isScaled = pixels > views.mostPixels;
  const picture = isScaled
    ? await scaledBy(original, Math.sqrt(views.mostPixels / pixels))
    : original;
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
  { tiles, whole }: Awaited<ReturnType<typeof readViews>>,
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

/** Divides the shift equally, so that the mean, which measures the trace, stays. `logits`: `[readings, 3]`. */
export function weightedLogits(
  logits: Float32Array,
  { weights, shift }: Pick<Readings, 'weights' | 'shift'>,
): Logits {
  const mean = (output: number) =>
    weights.reduce((sum, weight, at) => sum + weight * logits[3 * at + output]!, 0);
  return { real: mean(0) - shift / 2, fake: mean(1) + shift / 2, compression: mean(2) };
}

/** Number of windows per run of the head: enough to be fast, few enough to stay in the cache. */
const batchSize = 2048;

/** The output of the head for every window. */
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

/** Runs the head without dropout. @param features - `[count, channels]`. */
async function score(features: Float32Array, count: number, model: TraceModel) {
  const keepAll = new Float32Array(features.length / count).fill(1);
  return model.readHead(features, count, keepAll, 1);
}

/** |W (e - mean)|, where W'W is the inverse covariance. @param embeddings - `[count, dimension]`. */
function distancesFromTraining(embeddings: Float32Array, { embedding }: EmbeddingStatistics) {
  const { dimension } = embedding;
  const mean = Float64Array.from(embedding.mean);
  const whitening = Float64Array.from(embedding.whitening);
  const distances = new Float64Array(embeddings.length / dimension);
  const centred = new Float64Array(dimension);
  for (let at = 0; at < distances.length; at++) {
    for (let i = 0; i < dimension; i++) centred[i] = embeddings[at * dimension + i]! - mean[i]!;
    distances[at] = lengthOf(whitening, centred);
  }
  return distances;
}

/** Of the product of a square matrix, row by row, and a vector. */
function lengthOf(matrix: Float64Array, vector: Float64Array): number {
  let squares = 0;
  for (let from = 0; from < matrix.length; from += vector.length) {
    let sum = 0;
    for (let i = 0; i < vector.length; i++) sum += matrix[from + i]! * vector[i]!;
    squares += sum * sum;
  }
  return Math.sqrt(squares);
}

// Two ways of reading the picture besides the patches: full-resolution squares, if the picture is too large to be read
// in full, and a small view of the whole, for composition, light and other global properties. The time is limited: for
// patches and maps, a picture above `maxPixels` is scaled down to that size.

/**
 * @param cells - features of the picture in its own size; null if it was scaled down to be read.
 * @returns features of the tiles, of which there are none if the patches are at full resolution, and of the whole.
 */
async function readViews(picture: Planes, cells: FeatureGrid | null, model: TraceModel) {
  const { views } = model.manifest;
  const { width, height } = picture.facts;
  const readMean = async (part: Planes) => meanFeatures(await readFeatureGrid(part, model));
  const tiles: Float32Array[] = [];
  const { tilePx, tiles: count } = views;
  const grid = { cellPx: tilePx, window: { columns: 1, rows: 1 }, stride: 1, count };
  // The most textured tiles, without overlap.
  for (const at of cells === null ? texturedWindows(picture, grid) : []) {
    tiles.push(await readMean(toPlanes(cutSquare(picture, at, tilePx, tilePx))));
  }
  const factor = views.wholePx / Math.max(width, height);
  // The patches have already covered the whole of such a small picture.
  if (cells !== null && factor >= 1) return { tiles, whole: meanFeatures(cells) };
  return { tiles, whole: await readMean(factor >= 1 ? picture : await scaledBy(picture, factor)) };
}

async function scaledBy({ rgb, facts }: Planes, factor: number): Promise<Planes> {
  return toPlanes(await scalePixels({ rgb, ...facts }, scaledSize(facts, factor)));
}

// The vision transformer reads the whole picture, squeezed into a square, for composition, light and material; and its
// most textured full-resolution squares, for traces. It sees other things than the patch network, and is less affected
// by JPEG and scaling.

/** @returns null for a model without a transformer. */
async function readTransformer(picture: Planes, model: TraceModel) {
  const { transformer } = model.manifest;
  const read = model.readTransformer;
  if (transformer === null || read === null) return null;
  const { sidePx, weights } = transformer;
  const size = { width: sidePx, height: sidePx };
  const squeezed = await scalePixels({ rgb: picture.rgb, ...picture.facts }, size);
  const view = await read(squeezed.rgb, 'view');
  const squares: number[] = [];
  for (const place of texturedSquares(picture, transformer)) {
    const { rgb } = cutSquare(picture, place, transformer.stepPx, sidePx);
    squares.push((await read(rgb, 'square')).generated);
  }
  // If the picture is smaller than a square, the view has already covered all of it.
  const sum = squares.reduce((total, one) => total + one, 0);
  const native = squares.length === 0 ? view.generated : sum / squares.length;
  const shift = weights.view * view.generated + weights.squares * native;
  // The shift is added, before calibration, to the log odds of *fake* from the patches.
  return { shift, ...toKind(view.kinds) };
}

/** The most textured squares without overlap, the most textured first; none if the picture is smaller than a square. */
function texturedSquares(picture: Planes, { sidePx, stepPx, squares }: Transformer) {
  if (Math.min(picture.facts.width, picture.facts.height) < sidePx) return [];
  const side = sidePx / stepPx;
  const window = { columns: side, rows: side };
  const chosen: CellPosition[] = [];
  const how = { cellPx: stepPx, window, stride: 1, count: Infinity };
  for (const place of texturedWindows(picture, how)) {
    if (chosen.length === squares) break;
    const isApart = chosen.every(
      ({ column, row }) =>
        Math.abs(column - place.column) >= side || Math.abs(row - place.row) >= side,
    );
    if (isApart) chosen.push(place);
  }
  return chosen;
}

/** The softmax probability of *photograph*, and the most likely kind among the others. */
function toKind(logits: Float32Array) {
  const [asPhotograph, ...others] = logits;
  const most = Math.max(...others);
  const sum = others.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return {
    kind: pictureKinds[1 + others.indexOf(most)]!,
    photograph: sigmoid(asPhotograph! - most - Math.log(sum)),
  };
}
