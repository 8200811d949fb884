/**
 * The patch scores of a picture: the model's output for every window of cells, and the selection that counts for the picture.
 * Every later result is computed from these numbers.
 *
 * Each patch is scored alone, and the picture is the plain mean of their logits: averaging features first was worse (AUC .739
 * against .760 on the calibration split), weights by texture .001 more, clipped logits no more (models/training/EXPERIMENTS.md, 4).
 * A mean has the range of a single patch, so one calibration serves 1 to 16 of them: it was fitted on crops with up to 16 patches
 * and on their halves, which often hold one. One of its own for each size gained .002 on val and lost .005 on the calibration
 * split (ibid., "Thresholds by regime").
 *
 * The network reads every pixel once, because the maps need every cell: time grows with the picture, which the limit of
 * pixels bounds. Memory does not grow with it but for the features of the cells: it is read in tiles (`tiles.ts`).
 */

import type { Planes } from '../image/pixels.ts';
import type { TraceModel } from '../inference/networks.ts';
import { distancesOf } from './anomaly.ts';
import type { Logits } from './calibration.ts';
import { readEnsembleScores, type EnsembleScores } from './ensemble.ts';
import {
  type CellPosition,
  type Grid,
  meanWindows,
  type PatchPlan,
  planPatches,
  type WindowMeans,
} from './patches.ts';
import type { Views } from '../inference/model.ts';
import { readFeatureGrid } from './tiles.ts';
import { readViews, toReadingSize, type ViewFeatures } from './views.ts';

export interface PatchScores {
  /** Cells that cover the picture. */
  readonly grid: Grid;
  /** Size of a patch in cells; smaller than the model's where the picture is. */
  readonly window: Grid;
  /** Positions of a patch, row-major; `logits`, `embeddings` and `distances` have one entry for each. */
  readonly positions: Grid;
  /** `[places, 3]`: raw real, fake, compression, as the maps show them. */
  readonly logits: Float32Array;
  /** `[places, dimension]`, unit length. */
  readonly embeddings: Float32Array;
  /** Mahalanobis distance of each embedding from training. */
  readonly distances: Float64Array;
  /** Indices of the positions on the patch grid. */
  readonly patches: readonly number[];
  /** Side of a cell in pixels of the picture: the model's, or more where the picture was scaled to be read. */
  readonly cellPx: number;
  /** Indices of the patches that count for the picture, most textured first. */
  readonly read: readonly number[];
  readonly votes: Votes;
  readonly meanLogits: Logits;
}

/** All that counts for the picture: its patches, and with `views` tiles and the whole. */
export interface Votes {
  /** `[votes, channels]`: the head's input. */
  readonly features: Float32Array;
  /** How much the logits of each count, together 1. */
  readonly weights: readonly number[];
}

/** Windows that the head scores in one run: large enough to be fast, small enough to stay in the cache. */
const batchSize = 2048;

export async function readPatchScores(picture: Planes, model: TraceModel): Promise<PatchScores> {
  const patches = await readPatches(picture, model);
  const { plan, windows, ensemble, votes, cellPx } = patches;
  const { logits, embeddings } = await scoreWindows(windows, ensemble, model);
  const indexOf = ({ row, column }: CellPosition) => row * windows.columns + column;
  return {
    grid: plan.grid,
    window: plan.window,
    positions: { columns: windows.columns, rows: windows.rows },
    logits,
    embeddings,
    distances: distancesOf(embeddings, model.statistics),
    patches: plan.all.map(indexOf),
    read: plan.read.map(indexOf),
    cellPx,
    votes,
    meanLogits: await scorePicture(votes, model),
  };
}

/** The picture's scores alone, without what the maps need. */
export async function readLogits(picture: Planes, model: TraceModel): Promise<Logits> {
  const { votes } = await readPatches(picture, model);
  return scorePicture(votes, model);
}

interface Patches {
  readonly plan: PatchPlan;
  readonly windows: WindowMeans;
  readonly ensemble: EnsembleScores | null;
  readonly votes: Votes;
  readonly cellPx: number;
}

async function readPatches(original: Planes, model: TraceModel): Promise<Patches> {
  const { input, views } = model.manifest;
  const picture = await toReadingSize(original, model.manifest);
  const plan = planPatches(picture, input);
  const { cellPx, haloPx } = input;
  const cells = await readFeatureGrid(picture, { read: model.readFeatures, cellPx, haloPx });
  const windows = meanWindows(cells, plan.window);
  const ensemble = await readEnsembleScores(picture, plan, model);
  const isScaled = picture !== original;
  const seen = views && (await readViews(original, isScaled ? null : cells, model, views));
  return {
    plan,
    windows,
    ensemble,
    votes: votesOf(featuresRead(plan, windows, ensemble), seen, views),
    cellPx: isScaled ? (cellPx * original.facts.width) / picture.facts.width : cellPx,
  };
}

/** The head's input for each patch that counts for the picture. */
function featuresRead(plan: PatchPlan, windows: WindowMeans, ensemble: EnsembleScores | null) {
  const width = windows.channels + (ensemble?.members ?? 0);
  const features = new Float32Array(plan.read.length * width);
  plan.read.forEach(({ row, column }, at) => {
    const place = row * windows.columns + column;
    features.set(meansOf(windows, place), at * width);
    if (!ensemble) return;
    const { members, ofPatches } = ensemble;
    const said = ofPatches.subarray(at * members, (at + 1) * members);
    features.set(said, at * width + windows.channels);
  });
  return { count: plan.read.length, features };
}

function votesOf(
  patches: { readonly count: number; readonly features: Float32Array },
  seen: ViewFeatures | null,
  views: Views | null,
): Votes {
  if (seen === null || views === null) {
    return { features: patches.features, weights: evenly(1, patches.count) };
  }
  const { tiles, whole } = seen;
  const { weights } = views;
  const rows = [...tiles, whole];
  const features = new Float32Array(patches.features.length + rows.length * whole.length);
  features.set(patches.features);
  rows.forEach((row, at) => features.set(row, patches.features.length + at * whole.length));
  return {
    features,
    weights: [
      ...evenly(weights.patches + (tiles.length === 0 ? weights.tiles : 0), patches.count),
      ...evenly(weights.tiles, tiles.length),
      weights.whole,
    ],
  };
}

function evenly(share: number, count: number): number[] {
  return Array<number>(count).fill(share / count);
}

function meansOf({ means, channels }: WindowMeans, place: number): Float32Array {
  return means.subarray(place * channels, (place + 1) * channels);
}

async function scorePicture({ features, weights }: Votes, model: TraceModel): Promise<Logits> {
  const { logits } = await judge(features, weights.length, model);
  return weightedLogits(logits, weights);
}

/** @param logits - `[votes, 3]`. */
export function weightedLogits(logits: Float32Array, weights: readonly number[]): Logits {
  const meanOf = (output: number) =>
    weights.reduce((sum, weight, at) => sum + weight * logits[3 * at + output]!, 0);
  return { real: meanOf(0), fake: meanOf(1), compression: meanOf(2) };
}

/** The head's output for every window. */
async function scoreWindows(
  windows: WindowMeans,
  ensemble: EnsembleScores | null,
  model: TraceModel,
) {
  const count = windows.columns * windows.rows;
  const dimension = model.statistics.embedding.dimension;
  const logits = new Float32Array(count * 3);
  const embeddings = new Float32Array(count * dimension);
  for (let first = 0; first < count; first += batchSize) {
    const size = Math.min(batchSize, count - first);
    const answer = await judge(rowsOf(windows, ensemble, first, size), size, model);
    logits.set(answer.logits, first * 3);
    embeddings.set(answer.embeddings, first * dimension);
  }
  return { logits, embeddings };
}

function rowsOf(
  windows: WindowMeans,
  ensemble: EnsembleScores | null,
  first: number,
  size: number,
): Float32Array {
  const { channels, columns } = windows;
  if (!ensemble) return windows.means.subarray(first * channels, (first + size) * channels);
  const width = channels + ensemble.members;
  const rows = new Float32Array(size * width);
  for (let at = 0; at < size; at++) {
    const place = first + at;
    rows.set(meansOf(windows, place), at * width);
    const position = { column: place % columns, row: Math.floor(place / columns) };
    rows.set(ensemble.ofPosition(position), at * width + channels);
  }
  return rows;
}

/** Without dropout. @param features - `[count, channels]`. */
async function judge(features: Float32Array, count: number, model: TraceModel) {
  const keepAll = new Float32Array(features.length / count).fill(1);
  return model.readHead(features, count, keepAll, 1);
}
