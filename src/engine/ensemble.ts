/**
 * The scores of the second branch of the model, an ensemble: log odds of `fake`. The traces that survive sharing are in middle
 * and low frequencies; at half size the same statistics cover lower ones, and four times the area: both sizes are scored, and
 * their log odds are added.
 */

import { halvePixels, type Planes, toPlanes } from '../image/pixels.ts';
import type { ModelManifest } from '../inference/model.ts';
import type { TraceModel } from '../inference/networks.ts';
import { type CellPosition, type FeatureGrid, type PatchPlan, planPatches } from './patches.ts';
import { type Branch, cutTile, grown, readFeatureGrid } from './tiles.ts';

export interface EnsembleScores {
  readonly members: number;
  /** `[patches read, members]`: what counts for the picture. */
  readonly ofPatches: Float32Array;
  /** Score of a single patch position, for the maps: where there is a half size, twice the score of that, for a quarter of the work. */
  readonly ofPosition: (place: CellPosition) => Float32Array;
}

export async function readEnsembleScores(
  picture: Planes,
  plan: PatchPlan,
  model: TraceModel,
): Promise<EnsembleScores | null> {
  const { input, votes } = model.manifest;
  if (!model.readEnsemble || !votes) return null;
  const branch: Branch = { read: model.readEnsemble, cellPx: input.cellPx, haloPx: votes.haloPx };
  if (!isLargeEnough(picture, input)) {
    const grid = await readFeatureGrid(picture, branch);
    const ofPlace = (place: CellPosition) => vectorAt(grid, middleOf(place, input));
    return {
      members: grid.channels,
      ofPatches: joined(plan.read.map(ofPlace)),
      ofPosition: ofPlace,
    };
  }
  const half = toPlanes(halvePixels(picture));
  const grid = await readFeatureGrid(half, branch);
  const halfPatches = planPatches(half, input).read.map((place) =>
    vectorAt(grid, middleOf(place, input)),
  );
  const inFull = await scorePatches(picture, plan, branch, input);
  return {
    members: grid.channels,
    ofPatches: joined(inFull.map((scores) => added(scores, mean(halfPatches)))),
    ofPosition: (place) => {
      const { column, row } = middleOf(place, input);
      const scores = vectorAt(grid, { column: column >> 1, row: row >> 1 });
      return added(scores, scores);
    },
  };
}

/** Half of the picture still holds a patch. */
function isLargeEnough({ facts }: Planes, { cellPx, patchCells }: ModelManifest['input']): boolean {
  return Math.min(facts.width, facts.height) >= 2 * patchCells * cellPx;
}

/** Patch by patch, or, where that is less work, all cells of the picture; the scores are the same. */
async function scorePatches(
  picture: Planes,
  { grid, window, read }: PatchPlan,
  branch: Branch,
  input: ModelManifest['input'],
): Promise<readonly Float32Array[]> {
  // The halo of a cell holds the patch around it; a patch needs what is left beyond that.
  const margin = Math.ceil(branch.haloPx / branch.cellPx) - (input.patchCells >> 1);
  const boxes = read.map((place) => grown({ ...place, ...window }, margin, grid));
  const cells = boxes.reduce((total, { columns, rows }) => total + columns * rows, 0);
  if (grid.columns * grid.rows <= cells) {
    const all = await readFeatureGrid(picture, branch);
    return read.map((place) => vectorAt(all, middleOf(place, input)));
  }
  const scores: Float32Array[] = [];
  for (const [at, box] of boxes.entries()) {
    const { columns, rows } = box;
    const rgb = cutTile(picture, box, branch.cellPx);
    const values = await branch.read(rgb, columns * branch.cellPx, rows * branch.cellPx);
    const channels = values.length / (columns * rows);
    const place = { column: read[at]!.column - box.column, row: read[at]!.row - box.row };
    scores.push(vectorAt({ columns, rows, channels, values }, middleOf(place, input)));
  }
  return scores;
}

/** The cell that holds the scores of exactly the patch that begins at `place`. */
function middleOf(place: CellPosition, { patchCells }: ModelManifest['input']): CellPosition {
  const middle = patchCells >> 1;
  return { column: place.column + middle, row: place.row + middle };
}

/** Of the nearest cell, where the picture is smaller than a patch or ends in half a cell. */
function vectorAt(grid: FeatureGrid, { column, row }: CellPosition): Float32Array {
  const at = Math.min(row, grid.rows - 1) * grid.columns + Math.min(column, grid.columns - 1);
  return Float32Array.from(
    { length: grid.channels },
    (_, channel) => grid.values[channel * grid.columns * grid.rows + at]!,
  );
}

function mean(vectors: readonly Float32Array[]): Float32Array {
  const sums = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) vector.forEach((value, at) => (sums[at]! += value));
  return Float32Array.from(sums, (sum) => sum / vectors.length);
}

function added(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((value, at) => value + other[at]!);
}

function joined(vectors: readonly Float32Array[]): Float32Array {
  const width = vectors[0]!.length;
  const table = new Float32Array(vectors.length * width);
  vectors.forEach((vector, at) => table.set(vector, at * width));
  return table;
}
