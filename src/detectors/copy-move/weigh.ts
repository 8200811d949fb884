/** How likely a pair is one of a copy, and what that is worth. */

import { noWeight, strengthOfRatio, type Weight } from '../strength.ts';
import type { Likeness } from './likeness.ts';

const weights = {
  share: 0.419,
  fine: 0.881,
  middle: 0.365,
  mutual: 2.834,
  onward: -3.603,
  shear: -17.817,
  constant: 0.317,
} as const;

/** Correlations come this close to one at most: beyond lies rounding. */
const mostCorrelation = 0.98;
/** Beyond this the shear says no more. */
const mostShear = 0.1;
/** From here on nothing was a copy. */
const noCopyShear = 0.3;
/** How much rarer pictures without any pair are among those that hold a copy. */
const missedRatio = 0.7;
/** No more than the number of untouched pictures bears out. */
const mostRatio = 50;

/** Of a picture in which no two places look alike. */
export const noneScore = missedRatio / (1 + missedRatio);

/** 0..1, at even odds that the picture holds a copy. */
export function probabilityOf(likeness: Likeness): number {
  const { share, fine, middle, mutual, onward, shear } = likeness;
  if (shear >= noCopyShear) return noneScore;
  const logit =
    weights.constant +
    weights.share * Math.log(share) +
    weights.fine * stretch(fine) +
    weights.middle * stretch(middle) +
    weights.mutual * mutual +
    weights.onward * Math.max(0, onward) +
    weights.shear * Math.min(mostShear, shear);
  const ratio = Math.min(mostRatio, missedRatio + Math.exp(logit));
  return ratio / (1 + ratio);
}

/** Fisher's transformation: differences near one count for more. */
function stretch(correlation: number): number {
  return Math.atanh(Math.min(mostCorrelation, Math.max(0, correlation)));
}

export function weightOf(score: number): Weight {
  const strength = strengthOfRatio(score / (1 - score));
  return strength === 'none' ? { ...noWeight, score } : { speaksFor: 'fake', strength, score };
}
