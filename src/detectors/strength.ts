/** From likelihood ratios to words (ENFSI guideline for evaluative reporting in forensic science, 2015). */

import { type Finding } from './finding.ts';
import { type Assurance, type Strength, strengths } from '../contract/vocabulary.ts';

/** From this ratio on, in the order of `strengths`. */
export const strengthFrom = [0, 2, 10, 100, 1000, 10_000] as const;

/** @param ratio - likelihood ratio in favour of the side that is spoken for, 1 or more. */
export function strengthOfRatio(ratio: number): Strength {
  const step = strengthFrom.findLastIndex((from) => ratio >= from);
  return strengths[Math.max(0, step)]!;
}

/**
 * How strongly what a file says of its own origin speaks, by who vouches for it: convention, not measurement, since
 * whoever forges a statement decides how often it is wrong. Anybody can sign, so a signature that nobody vouches for
 * adds integrity and no strength.
 */
export const strengthOfAssurance = {
  unsigned: 'moderate',
  signed: 'moderate',
  trusted: 'strong',
} as const satisfies Readonly<Record<Assurance, Strength>>;

export type Weight = Pick<Finding, 'speaksFor' | 'strength' | 'score'>;

/** Of a finding whose strength is a convention: its score is the probability that goes with it at even prior odds. */
export function weightOf(speaksFor: 'real' | 'fake', strength: Strength): Weight {
  const ratio = strengthFrom[strengths.indexOf(strength)]!;
  const probability = ratio / (1 + ratio);
  return { speaksFor, strength, score: speaksFor === 'fake' ? probability : 1 - probability };
}

export const noWeight: Weight = { speaksFor: 'neither', strength: 'none', score: 0.5 };
