/** How likely a pair is one of a copy, and what that is worth. */

import { noWeight, strengthOfRatio, type Weight } from '../strength.ts';
import type { Likeness } from './likeness.ts';
import type { Pair } from './look.ts';

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
/** Above this logit the ratio rises faster: copies lie far out there, and what looks alike by nature ends. */
const knee = { from: -0.336, extraSlope: 4.903 } as const;

/** Correlations come this close to one at most: beyond lies rounding. */
const mostCorrelation = 0.98;
/** Beyond this the shear says no more. */
const mostShear = 0.1;
/** From here on lie 2 of 53 simulated copies and a third of all other pairs. */
const noCopyShear = 0.3;
/** How much rarer pictures without any pair are among those that hold a copy. */
const missedRatio = 0.77;
/** From 10 on lie 32 % of the copies and none of the 568, so at most 0.6 % of untouched ones (95 %): 50 and no more. */
const mostRatio = 50;

/** Of a picture in which no two places look alike. */
export const noneScore = missedRatio / (1 + missedRatio);

/** Odds of a pair against those of the likeliest: beside a plain copy, what merely looks alike is none. */
const leastOdds = 0.1;
/** More pairs as likely as each other come of rows of like things: 40 pictures with simulated copies show four at most. */
const mostBeside = 5;
/** What rows of like things are worth at most: a weak finding, whatever each pair of them says. */
const mostRatioOfRows = 5;

export interface Likely {
  readonly pair: Pair;
  readonly probability: number;
}

/** The pairs that may be copies where the likeliest is one; likeliest first. */
export function likelyOf(pairs: readonly Pair[]): readonly Likely[] {
  const likely = pairs
    .map((pair) => ({ pair, probability: probabilityOf(pair.likeness) }))
    .toSorted((one, other) => other.probability - one.probability);
  const least = leastOdds * oddsOf(likely[0]?.probability ?? 0);
  const beside = likely.filter(({ probability }) => oddsOf(probability) >= least);
  if (beside.length <= mostBeside) return beside;
  const most = mostRatioOfRows / (1 + mostRatioOfRows);
  return beside.map(({ pair, probability }) => ({
    pair,
    probability: Math.min(probability, most),
  }));
}

function oddsOf(probability: number): number {
  return probability / (1 - probability);
}

/** 0..1, at even odds that the picture holds a copy. */
function probabilityOf(likeness: Likeness): number {
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
  const steep = logit + knee.extraSlope * Math.max(0, logit - knee.from);
  const ratio = Math.min(mostRatio, missedRatio + Math.exp(steep));
  return ratio / (1 + ratio);
}

/** Fisher's transformation: differences near one count for more. */
function stretch(correlation: number): number {
  return Math.atanh(Math.min(mostCorrelation, Math.max(0, correlation)));
}

export function weightOf(score: number): Weight {
  const strength = strengthOfRatio(oddsOf(score));
  return strength === 'none' ? { ...noWeight, score } : { speaksFor: 'fake', strength, score };
}
