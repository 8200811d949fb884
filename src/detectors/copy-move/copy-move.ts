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
import { largestRegion, regionMeasures, placeOf, type Size } from '../regions.ts';
import type { Copies, FindingStatement } from '../statements.ts';
import { isMirrored, affineScale, affineTurn } from './affine.ts';
import { describeSurroundings, type Surroundings } from './descriptors.ts';
import { frequencyBands, type WorkingPicture, workingPicture, type Details } from './features.ts';
import { evenMap, type CopySearch, markPair, type Marks, mergeMaps } from './mark.ts';
import { matchField, type MatchField } from './match-field.ts';
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
