/**
 * Finds parts of a picture that occur twice, including rotated, scaled or mirrored copies. Forgers often hide something
 * under a copy of its surroundings, or paste an object several times to multiply it. The pixels do not show which of
 * two similar regions is the copy, so the map marks both.
 */

import {
  type Detector,
  type LocalisedFinding,
  noWeight,
  type Skipped,
  type Weight,
} from '../detector.ts';
import { type CellMap, largestRegion, placeOf, regionMeasures, type Size } from '../regions.ts';
import type { Copies, FindingStatement } from '../statements.ts';
import { type Affine, affineScale, affineTurn, invertAffine, isMirrored, moved } from './affine.ts';
import { describeSurroundings, type Surroundings } from './descriptors.ts';
import { type Details, frequencyBands, type WorkingPicture, workingPicture } from './features.ts';
import { gridPx, matchField, type MatchField } from './match-field.ts';
import { allocateDescriptors } from './match-kernel.ts';
import { findRegions, isDuplicate, type KnownRegion, type Region } from './regions.ts';
import {
  copyWeight,
  isRepetitive,
  likelyPairs,
  measureLikeness,
  noneScore,
  type Pair,
} from './score.ts';
import { refine, type Refined } from './refine.ts';
import { growExtent } from './extent.ts';

/** In pixels; a smaller picture has no room for two regions with a gap between them. */
const minSidePx = 64;
/** Minimum share of the picture that must have enough texture to be compared. */
const minCompared = 0.02;
/** Minimum probability of a pair that is marked, just above the neutral value of 0.5. */
const shownFrom = 0.51;

/** Value of every cell if nothing was found, because there may still be a copy that this method cannot detect. */
const neutral = 0.5;

export const copyMove: Detector<LocalisedFinding | Skipped> = {
  method: 'copy-move',
  examine: ({ picture }) => findCopies(workingPicture(picture), picture.facts),
};

/** The second part of `copyMove`, without the picture, so that another thread can run it. `described` saves a step. */
export function findCopies(
  working: WorkingPicture,
  { width, height }: Size,
  described?: Surroundings,
): LocalisedFinding | Skipped {
  if (Math.min(width, height) < minSidePx)
    return { method: copyMove.method, reason: 'too_small_for_copies' };
  const search = searchCopies(working, described);
  if (search.comparedShare < minCompared)
    return { method: copyMove.method, reason: 'too_smooth_for_copies' };
  return toLocalisedFinding(search, { width, height });
}

function toLocalisedFinding(search: CopySearch, size: Size): LocalisedFinding {
  const repeats = isRepetitive(search.pairs);
  const likely = repeats ? [] : likelyPairs(search.pairs);
  const score = repeats ? noWeight.score : Math.max(noneScore, likely[0]?.probability ?? 0);
  const marked = likely
    .filter(({ probability }) => probability > shownFrom)
    .map(({ pair, probability }) => ({ pair, marks: markPair(search, pair, size, probability) }));
  const maps = marked.flatMap(({ marks }) => [marks.here, marks.there]);
  const weight = copyWeight(score);
  const best = marked[0];
  const seen = best && describePair(best.pair, best.marks, size);
  return {
    finding: {
      method: copyMove.method,
      ...weight,
      statement: repeats
        ? { code: 'repeats_throughout', values: {} }
        : toStatement(seen ?? null, weight, search.comparedShare),
      measures: {
        ...(best && seen && measuresOfPair(best.pair, seen)),
        likelyPairs: marked.length,
        comparedShare: search.comparedShare,
        readScale: 1 / search.working.scale,
      },
      source:
        'Cozzolino, Poggi and Verdoliva, "Efficient dense-field copy-move forgery detection", IEEE Transactions on Information Forensics and Security 10 (2015), with other descriptors; the weights are fitted for this program.',
    },
    map: mergeMaps(maps, evenMap(search, size, marked.length > 0 ? 1 - score : neutral)),
    ...(seen && { copies: [seen.here, seen.there] }),
  };
}

type Seen = ReturnType<typeof describePair>;

function describePair({ region: { affine } }: Pair, marks: Marks, size: Size) {
  const [here, there] = [marks.here, marks.there].map((map) => largestRegion(map, shownFrom, size));
  // Both regions of a pair lie inside the picture, so each map contains a region.
  if (!here || !there) throw new RangeError('A pair of places lies outside its picture.');
  return { here, there, affine, size };
}

/** If at least this share of the picture was compared, the smooth remainder is not mentioned. */
const comparedWhole = 0.9;

/** The wording for a weak finding allows for repetitive content, which often causes one. */
function toStatement(
  seen: Seen | null,
  { strength }: Weight,
  comparedShare: number,
): FindingStatement {
  if (seen === null || strength === 'none') {
    return comparedShare >= comparedWhole
      ? { code: 'no_copies', values: {} }
      : { code: 'no_copies_where_compared', values: { comparedShare } };
  }
  const code = strength === 'weak' ? 'copies_or_repetition' : 'copies';
  return { code, values: describeCopies(seen) };
}

/** Rotation in degrees, and scale factor, from which a transform is more than a fitting error. */
const minTurn = 3;
const minScaling = 1.05;

function describeCopies({ here, there, affine, size }: Seen): Copies {
  const turn = Math.round(Math.abs(affineTurn(affine)));
  const scale = affineScale(affine);
  const factor = Math.max(scale, 1 / scale);
  return {
    place: placeOf(here, size),
    otherPlace: placeOf(there, size),
    share: (here.share + there.share) / 2,
    isMirrored: isMirrored(affine),
    turnDegrees: turn >= minTurn ? turn : 0,
    factor: factor >= minScaling ? factor : 1,
  };
}

/** Lengths are in pixels of the picture. The offset points from the centre of the first region to the second. */
function measuresOfPair({ likeness }: Pair, { here, there, affine }: Seen) {
  return {
    ...regionMeasures(here),
    otherLeft: there.left,
    otherTop: there.top,
    offsetX: there.left + there.width / 2 - here.left - here.width / 2,
    offsetY: there.top + there.height / 2 - here.top - here.height / 2,
    turnDegrees: affineTurn(affine),
    scale: likeness.scale,
    isMirrored: likeness.isMirrored ? 1 : 0,
    correlation: likeness.middle,
    grainCorrelation: likeness.fine,
    mutualShare: likeness.mutual,
    onwardCorrelation: likeness.onward,
    shear: likeness.shear,
  };
}

/** Minimum distance as a share of the shorter side: two regions closer than this are the same object. */
const minStep = 0.05;
const minStepPx = 16;
/** Minimum number of cells of a region in the match field, because smaller ones match by chance. */
const minSeed = 8;

function searchCopies(working: WorkingPicture, described?: Surroundings): CopySearch {
  const { width, height } = working;
  const descriptors = allocateDescriptors(width * height);
  if (described) descriptors.set(described.descriptors);
  const { spread } = described ?? describeSurroundings(working, descriptors);
  const surroundings = { descriptors, spread };
  const minPx = Math.max(minStepPx, minStep * Math.min(width, height));
  const field = matchField({ ...surroundings, width, height, minPx, random: createSteps() });
  const seeds = findRegions({ field, spread, width, minCells: minSeed });
  const details = frequencyBands(working);
  const regions = growAll(seeds, details, field, minPx);
  const pairs = regions.map((region) => ({
    region,
    likeness: measureLikeness(region, details, field),
  }));
  const compared = field.target.reduce((count, target) => count + (target < 0 ? 0 : 1), 0);
  const comparedShare = compared / field.target.length;
  return { working, columns: field.columns, comparedShare, pairs };
}

/** A fixed sequence of random numbers in 0..1: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). */
function createSteps(): () => number {
  let state = 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

// Grows regions and keeps each of them once, even if the field contained several parts of it.

/** Limits the time: only patterns give more seeds than this, and the largest seeds contain the most information. */
const maxSeeds = 40;
/** Maximum total area of all regions, relative to the picture, because patterns cover it many times over. */
const maxCover = 2;

/** @param seeds - the largest first. Anything displaced by less than `minPx` is the same object. */
function growAll(
  seeds: readonly Region[],
  details: Details,
  field: MatchField,
  minPx: number,
): readonly Refined[] {
  const { columns } = field;
  const known: (Refined & KnownRegion)[] = [];
  let grown = 0;
  for (const seed of seeds.slice(0, maxSeeds)) {
    if (known.some((one) => isDuplicate(seed, one, columns))) continue;
    const region = refine(seed, details, columns, minPx);
    if (region === null) continue;
    grown += region.cells.length;
    if (known.some((one) => isDuplicate(region, one, columns))) continue;
    const has = new Uint8Array(field.target.length);
    for (const cell of region.cells) has[cell] = 1;
    known.push({ ...region, has });
    if (grown > maxCover * field.target.length) break;
  }
  return known;
}

// Marks both regions of a pair on a map of the whole picture.

/** What was found in one picture; lengths are in pixels of `working`. */
export interface CopySearch {
  readonly working: WorkingPicture;
  /** Cells of `gridPx` per row. */
  readonly columns: number;
  /** Share 0..1 of the picture that has enough texture to be compared. */
  readonly comparedShare: number;
  readonly pairs: readonly Pair[];
}

/** Side in pixels of the picture; matches are not accurate enough for smaller cells. */
const minCellPx = 4;
/** Sample points, as shares of a cell's side. A cell belongs to a region that contains most of its points. */
const samplePoints = [1 / 6, 3 / 6, 5 / 6] as const;
const halfOfSamplePoints = (samplePoints.length * samplePoints.length) / 2;
/** How many map cells an enlarged and rotated field cell can extend beyond the map cell that contains its centre. */
const margin = 2;

/** One map for each region of a pair; which region is the copy is unknown. */
export interface Marks {
  readonly here: CellMap;
  readonly there: CellMap;
}

/** A map with the same value everywhere, and with cells no smaller than those of the match field. */
export function evenMap({ working }: CopySearch, { width, height }: Size, value: number): CellMap {
  const cellPx = Math.max(minCellPx, Math.ceil(gridPx * working.scale));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  return { cellPx, columns, rows, values: new Float32Array(columns * rows).fill(value) };
}

/** Writes `probability`, that the pair is a copy, only to the cells of the two regions. */
export function markPair(search: CopySearch, pair: Pair, size: Size, probability: number): Marks {
  const cells = growExtent(pair.region, search.working, search.columns);
  const inside = new Set(cells);
  const mark = (motion: Affine) => {
    const map = evenMap(search, size, 0);
    const region = { search, cells, inside, motion, back: invertAffine(motion) };
    for (const cell of coveredCells(region, map)) map.values[cell] = probability;
    return map;
  };
  const still = { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 };
  return { here: mark(still), there: mark(pair.region.affine) };
}

/** Cells of the field, and the transform to apply to them. */
interface MovedCells {
  readonly search: CopySearch;
  readonly cells: Int32Array;
  readonly inside: ReadonlySet<number>;
  readonly motion: Affine;
  readonly back: Affine;
}

/** For each map cell, looks up the field cell it comes from, so that an enlarged copy has no holes. */
function coveredCells(region: MovedCells, map: CellMap): readonly number[] {
  const filled: number[] = [];
  const { left, top, right, bottom } = boundingBox(region, map);
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      if (isFilled(region, map, column, row)) filled.push(row * map.columns + column);
    }
  }
  if (filled.length > 0) return filled;
  // The region is too thin to fill half of any cell, so this returns the cells that it passes through.
  return Array.from(region.cells, (cell) => {
    const { column, row } = cellAt(region, map, cell);
    return row * map.columns + column;
  });
}

/** Bounding box of the region in columns and rows of the map, clipped to the map. */
function boundingBox(region: MovedCells, map: CellMap) {
  const box = { left: Infinity, top: Infinity, right: 0, bottom: 0 };
  for (const cell of region.cells) {
    const { column, row } = cellAt(region, map, cell);
    box.left = Math.min(box.left, column - margin);
    box.top = Math.min(box.top, row - margin);
    box.right = Math.max(box.right, column + margin);
    box.bottom = Math.max(box.bottom, row + margin);
  }
  return {
    left: clamped(box.left, map.columns),
    top: clamped(box.top, map.rows),
    right: clamped(box.right, map.columns),
    bottom: clamped(box.bottom, map.rows),
  };
}

/** The map cell that contains the transformed centre of a field cell. */
function cellAt({ search, motion }: MovedCells, { cellPx, columns, rows }: CellMap, cell: number) {
  const [x, y] = [(cell % search.columns) + 0.5, Math.floor(cell / search.columns) + 0.5];
  const [toX, toY] = moved(motion, x * gridPx, y * gridPx);
  const { scale } = search.working;
  return {
    column: clamped(Math.floor((toX * scale) / cellPx), columns),
    row: clamped(Math.floor((toY * scale) / cellPx), rows),
  };
}

/** Rounds to the nearest index below `count`. */
function clamped(at: number, count: number): number {
  return Math.min(count - 1, Math.max(0, at));
}

function isFilled(region: MovedCells, { cellPx }: CellMap, column: number, row: number): boolean {
  const { search, inside, back } = region;
  const width = search.columns * gridPx;
  const { scale } = search.working;
  let count = 0;
  for (const down of samplePoints) {
    for (const along of samplePoints) {
      const at = [((column + along) * cellPx) / scale, ((row + down) * cellPx) / scale] as const;
      const [x, y] = moved(back, ...at);
      const cell = Math.floor(y / gridPx) * search.columns + Math.floor(x / gridPx);
      if (x >= 0 && x < width && inside.has(cell)) count++;
    }
  }
  return count > halfOfSamplePoints;
}

export function mergeMaps(maps: readonly CellMap[], ground: CellMap): CellMap {
  const values = ground.values.slice();
  for (const map of maps) {
    for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at]!, map.values[at]!);
  }
  return { ...ground, values };
}
