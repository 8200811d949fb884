/** Measures the similarity of the two regions of a match, in numbers that separate copies from natural look-alikes. */

import { sided, type Weight } from '../detector.ts';
import { type Affine, after, invertAffine, isMirrored, affineScale, moved } from './affine.ts';
import { type Details, type Plane, valueAt } from './features.ts';
import { gridPx, type MatchField } from './match-field.ts';
import type { Refined } from './refine.ts';
import { centre, type Region } from './regions.ts';

/** Two regions of a picture that look like copies of each other. */
export interface Pair {
  readonly region: Region;
  readonly likeness: Likeness;
}

export type Likeness = ReturnType<typeof measureLikeness>;

/** Maximum distance in pixels at which a match counts as leading back. */
const backPx = 4;
/** With fewer pixels, a correlation means nothing. */
const minPixels = 50;

export function measureLikeness(region: Refined, details: Details, field: MatchField) {
  const { affine, cells, shear } = region;
  const { width, height } = details.fine;
  const along = (plane: Plane, motion: Affine) => correlate(plane, cells, field.columns, motion);
  return {
    /** Share of the picture, 0..1, that the region covers. */
    share: (cells.length * gridPx * gridPx) / (width * height),
    /** Correlation of the region with its match in each frequency band, -1..1. */
    fine: along(details.fine, affine),
    middle: along(details.middle, affine),
    mutual: mutualShare(region, field, width, height),
    /**
     * Highest correlation, in the middle band, with the place to which the same step leads again,
     * forwards or backwards: high in rows of similar objects. Unknown if the second step leads back
     * to the region itself, as after a half turn or a horizontal mirroring.
     */
    onward: leadsBack(region, field.columns)
      ? unknownOnward
      : Math.max(
          along(details.middle, after(affine, affine)),
          along(details.middle, invertAffine(affine)),
        ),
    scale: affineScale(affine),
    shear,
    isMirrored: isMirrored(affine),
    isReflection: isReflection(region, field.columns, width),
  };
}

/**
 * At this value, 92 of 110 mirrored copies and 81 of 110 rotated by 180 degrees stand out (JPEG 92; before, 1 and 2),
 * and no more of 277 untouched pictures. At 0, 93 and 91 do, but also one more untouched photograph at half size.
 */
const unknownOnward = 0.1;
/** In pixels: moved further than this, the middle band no longer resembles itself. */
const backToItselfPx = 8;

function leadsBack({ affine, cells }: Region, columns: number): boolean {
  const [x, y] = centre(cells, columns);
  const [toX, toY] = moved(after(affine, affine), x, y);
  return Math.hypot(toX - x, toY - y) <= backToItselfPx;
}

/** Maximum sideways offset of a reflection, as a share of the picture's width. */
const maxAside = 0.01;
/** Maximum off-diagonal entries of the transform, which are 0 for a reflection in level water. */
const maxSkew = 0.08;

/** Whether the match lies below the region and mirrors it, as in water or a polished floor. */
function isReflection({ affine, cells }: Region, columns: number, width: number): boolean {
  const { a, b, c, d, e } = affine;
  const isUpsideDown = a > 0 && e < 0 && Math.max(Math.abs(b), Math.abs(d)) <= maxSkew;
  if (!isUpsideDown) return false;
  const [x, y] = centre(cells, columns);
  return Math.abs(a * x + b * y + c - x) <= maxAside * width;
}

/** Correlation between the pixels of the cells and their destinations; 0 if too few lie inside the picture. */
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

/** Share, 0..1, of the matched cells whose matches in turn match them. */
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
 * Logistic regression on the pairs found in 192 pictures with a copy (64 simulated copies: as saved, as JPEG 75, at
 * half size) and in 568 without (their originals and 125 photographs from other sources, in the same three ways).
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
/** Above this logit the ratio rises faster: copies go far beyond it, natural look-alikes do not. */
const knee = { from: -0.336, extraSlope: 4.903 } as const;

/** Correlations are capped here, because differences this close to 1 are rounding errors. */
const maxCorrelation = 0.98;
/** Beyond this, shear adds no information. */
const maxShear = 0.1;
/** Only 2 of 53 simulated copies exceed this, but a third of all other pairs do. */
const noCopyShear = 0.3;
/** Each of the 1,150 copies found had a larger share; black backgrounds and symmetric charts have almost none. */
const minMutual = 0.1;
/** How often no pair is found in pictures with a copy, relative to pictures without one. */
const missedRatio = 0.77;
/**
 * 32% of the copies score 10 or more. None of the 568 other pictures do, so at most 0.6% of
 * untouched pictures would (95% bound), and the ratio is capped at 50.
 */
const maxRatio = 50;

/** Score of a picture without similar regions. */
export const noneScore = missedRatio / (1 + missedRatio);

/** Minimum odds of a pair relative to the most likely one: next to a clear copy, mere look-alikes do not count. */
const minOdds = 0.1;
/** If more pairs are equally likely, they are rows of similar objects: 40 simulated copies gave up to four pairs. */
const maxLikelyPairs = 5;
/** Limits the ratio for rows of similar objects to that of a weak finding, whatever each pair scores. */
const maxRatioOfRows = 5;

/** The pairs that may be copies if the most likely pair is one, sorted by probability. */
export function likelyPairs(pairs: readonly Pair[]) {
  const likely = pairs
    .map((pair) => ({ pair, probability: copyProbability(pair.likeness) }))
    .toSorted((one, other) => other.probability - one.probability);
  const least = minOdds * toOdds(likely[0]?.probability ?? 0);
  const comparable = likely.filter(({ probability }) => toOdds(probability) >= least);
  if (comparable.length <= maxLikelyPairs) return comparable;
  const most = maxRatioOfRows / (1 + maxRatioOfRows);
  return comparable.map(({ pair, probability }) => ({
    pair,
    probability: Math.min(probability, most),
  }));
}

/**
 * From this number of similar regions, a picture is repetitive: rendered pages of text, façades and
 * tiles had 20 to 39, pictures with a copied part 2 to 16.
 */
const minRepeats = 20;
const alikeFrom = { fine: 0.75, middle: 0.9 } as const;

/** Whether the picture is so repetitive that a copy would not stand out. */
export function isRepetitive(pairs: readonly Pair[]): boolean {
  const alike = pairs.filter(
    ({ likeness: { fine, middle } }) => fine >= alikeFrom.fine && middle >= alikeFrom.middle,
  );
  return alike.length >= minRepeats;
}

function toOdds(probability: number): number {
  return probability / (1 - probability);
}

/** Probability that the pair is a copy, 0..1, at even prior odds that the picture contains one. */
function copyProbability(likeness: Likeness): number {
  const { share, fine, middle, mutual, onward, shear } = likeness;
  if (shear >= noCopyShear || mutual < minMutual || likeness.isReflection) return noneScore;
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

/** Fisher transformation: differences near one count for more. */
function stretch(correlation: number): number {
  return Math.atanh(Math.min(maxCorrelation, Math.max(0, correlation)));
}

export function copyWeight(score: number): Weight {
  return { ...sided('fake', toOdds(score)), score };
}
