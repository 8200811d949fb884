/** How similar the two regions of a match are, in numbers that separate a copy from things that merely look alike. */

import { noWeight, strengthOfRatio, type Weight } from '../detector.ts';
import { type Affine, after, invertAffine, isMirrored, affineScale } from './affine.ts';
import { type Details, type Plane, valueAt } from './features.ts';
import { gridPx, type MatchField } from './match-field.ts';
import type { Refined } from './refine.ts';
import type { Region } from './regions.ts';

/** Two regions of a picture that look like copies of each other. */
export interface Pair {
  readonly region: Region;
  readonly likeness: Likeness;
}

export interface Likeness {
  /** Share of the picture, 0..1. */
  readonly share: number;
  /** Correlations -1..1 of the region with its match. */
  readonly fine: number;
  readonly middle: number;
  /** Of the matched cells: share 0..1 that matches back. */
  readonly mutual: number;
  /**
   * Greatest correlation of the middle details with where the same step leads once more, forth or back: high in rows of
   * like things. A mirrored match leads back to itself, so it counts for less, as nature is full of symmetry.
   */
  readonly onward: number;
  readonly scale: number;
  /** What a free fit adds to the motion, see `refine`. */
  readonly shear: number;
  readonly isMirrored: boolean;
  /** Upside down below itself, as water and polished floors show what stands above them. */
  readonly isReflection: boolean;
}

/** Matches back: within so many pixels. */
const backPx = 4;
/** Fewer pixels give no meaningful correlation. */
const minPixels = 50;

export function measureLikeness(region: Refined, details: Details, field: MatchField): Likeness {
  const { affine, cells, shear } = region;
  const { width, height } = details.fine;
  const along = (plane: Plane, motion: Affine) => correlate(plane, cells, field.columns, motion);
  return {
    share: (cells.length * gridPx * gridPx) / (width * height),
    fine: along(details.fine, affine),
    middle: along(details.middle, affine),
    mutual: mutualShare(region, field, width, height),
    onward: Math.max(
      along(details.middle, after(affine, affine)),
      along(details.middle, invertAffine(affine)),
    ),
    scale: affineScale(affine),
    shear,
    isMirrored: isMirrored(affine),
    isReflection: isReflection(region, field.columns, width),
  };
}

/** Of the width of the picture: how far a reflection may stand from straight below. */
const maxAside = 0.01;
/** Of the entries of the motion, which is diagonal for a reflection in level water. */
const maxSkew = 0.08;

function isReflection({ affine, cells }: Region, columns: number, width: number): boolean {
  const { a, b, c, d, e } = affine;
  const isUpsideDown = a > 0 && e < 0 && Math.max(Math.abs(b), Math.abs(d)) <= maxSkew;
  if (!isUpsideDown) return false;
  const aside = cells.reduce((sum, cell) => {
    const [x, y] = [(cell % columns) * gridPx, Math.floor(cell / columns) * gridPx];
    return sum + a * x + b * y + c - x;
  }, 0);
  return Math.abs(aside / cells.length) <= maxAside * width;
}

/** Of every pixel of the cells with where the motion takes it; 0 when too few stay inside. */
function correlate(plane: Plane, cells: Int32Array, columns: number, motion: Affine): number {
  const { a, b, c, d, e, f } = motion;
  let [n, sumS, sumT, squareS, squareT, product] = [0, 0, 0, 0, 0, 0];
  for (const cell of cells) {
    const left = (cell % columns) * gridPx;
    const top = Math.floor(cell / columns) * gridPx;
    for (let y = top; y < Math.min(top + gridPx, plane.height); y++) {
      for (let x = left; x < Math.min(left + gridPx, plane.width); x++) {
        const t = valueAt(plane, a * x + b * y + c, d * x + e * y + f);
        if (Number.isNaN(t)) continue;
        const s = plane.values[y * plane.width + x]!;
        n++;
        sumS += s;
        sumT += t;
        squareS += s * s;
        squareT += t * t;
        product += s * t;
      }
    }
  }
  if (n < minPixels) return 0;
  const spread = (squareS - (sumS * sumS) / n) * (squareT - (sumT * sumT) / n);
  return (product - (sumS * sumT) / n) / Math.sqrt(spread + 1e-9);
}

function mutualShare({ cells, affine }: Region, field: MatchField, width: number, height: number) {
  const { a, b, c, d, e, f } = affine;
  let back = 0;
  for (const cell of cells) {
    const x = (cell % field.columns) * gridPx;
    const y = Math.floor(cell / field.columns) * gridPx;
    const u = Math.round(a * x + b * y + c);
    const v = Math.round(d * x + e * y + f);
    if (u < 0 || v < 0 || u >= width || v >= height) continue;
    const match = field.target[Math.floor(v / gridPx) * field.columns + Math.floor(u / gridPx)]!;
    if (match < 0) continue;
    const tx = match % width;
    if (Math.abs(tx - x) <= backPx && Math.abs((match - tx) / width - y) <= backPx) back++;
  }
  return back / cells.length;
}

/**
 * Logistic regression of the pairs seen in 192 pictures that hold a copy (64 simulated copies: as saved, as JPEG 75, at
 * half size) and in 568 that hold none (their twins and 125 photographs of other sources, in the same three ways).
 */
const weights = {
  share: 0.338,
  fine: 0.303,
  middle: 0.287,
  mutual: 1.316,
  onward: -2.733,
  shear: -10.652,
  constant: 0.097,
} as const;
/** Above this logit the ratio rises faster: copies reach far beyond it, natural look-alikes do not. */
const knee = { from: -0.336, extraSlope: 4.903 } as const;

/** Correlations are clamped to this max: anything closer to one is rounding. */
const maxCorrelation = 0.98;
/** Beyond this, shear adds no information. */
const maxShear = 0.1;
/** Above it are 2 of 53 simulated copies and a third of all other pairs. */
const noCopyShear = 0.3;
/** How much rarer pictures without any pair are among those that hold a copy. */
const missedRatio = 0.77;
/** From 10 on are 32 % of the copies and none of the 568, so at most 0.6 % of untouched ones (95 %): 50 is the max. */
const maxRatio = 50;

/** Of a picture in which no two regions look alike. */
export const noneScore = missedRatio / (1 + missedRatio);

/** Odds of a pair against those of the likeliest: next to a plain copy, what merely looks alike does not count. */
const minOdds = 0.1;
/** More pairs as likely as each other come of rows of like things: the max in 40 pictures with simulated copies is four. */
const maxBeside = 5;
/** Max weight of rows of similar things: a weak finding, whatever the score of each pair. */
const maxRatioOfRows = 5;

interface Likely {
  readonly pair: Pair;
  readonly probability: number;
}

/** The pairs that may be copies where the likeliest is one; likeliest first. */
export function likelyPairs(pairs: readonly Pair[]): readonly Likely[] {
  const likely = pairs
    .map((pair) => ({ pair, probability: copyProbability(pair.likeness) }))
    .toSorted((one, other) => other.probability - one.probability);
  const least = minOdds * toOdds(likely[0]?.probability ?? 0);
  const beside = likely.filter(({ probability }) => toOdds(probability) >= least);
  if (beside.length <= maxBeside) return beside;
  const most = maxRatioOfRows / (1 + maxRatioOfRows);
  return beside.map(({ pair, probability }) => ({
    pair,
    probability: Math.min(probability, most),
  }));
}

/**
 * Regions that look alike in a picture of things that repeat: drawn pages of text, facades and tiles had 20 to 39, pictures
 * with a copied part 2 to 16.
 */
const leastRepeats = 20;
const alikeFrom = { fine: 0.75, middle: 0.9 } as const;

/** Whether so much of the picture repeats that a copy would not stand out. */
export function isRepetitive(pairs: readonly Pair[]): boolean {
  const alike = pairs.filter(
    ({ likeness: { fine, middle } }) => fine >= alikeFrom.fine && middle >= alikeFrom.middle,
  );
  return alike.length >= leastRepeats;
}

function toOdds(probability: number): number {
  return probability / (1 - probability);
}

/** 0..1, at even odds that the picture holds a copy. */
function copyProbability(likeness: Likeness): number {
  const { share, fine, middle, mutual, onward, shear } = likeness;
  if (shear >= noCopyShear || likeness.isReflection) return noneScore;
  const logit =
    weights.constant +
    weights.share * Math.log(share) +
    weights.fine * stretch(fine) +
    weights.middle * stretch(middle) +
    weights.mutual * mutual +
    weights.onward * Math.max(0, onward) +
    weights.shear * Math.min(maxShear, shear);
  const steep = logit + knee.extraSlope * Math.max(0, logit - knee.from);
  const ratio = Math.min(maxRatio, missedRatio + Math.exp(steep));
  return ratio / (1 + ratio);
}

/** Fisher's transformation: differences near one count for more. */
function stretch(correlation: number): number {
  return Math.atanh(Math.min(maxCorrelation, Math.max(0, correlation)));
}

export function copyWeight(score: number): Weight {
  const strength = strengthOfRatio(toOdds(score));
  return strength === 'none' ? { ...noWeight, score } : { speaksFor: 'fake', strength, score };
}
