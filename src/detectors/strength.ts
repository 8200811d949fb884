/** From likelihood ratios to words (ENFSI guideline for evaluative reporting in forensic science, 2015). */

import { type Strength, strengths } from './finding.ts';

/** From this ratio on, in the order of `strengths`. */
export const strengthFrom = [0, 2, 10, 100, 1000, 10_000] as const;

/** @param ratio - likelihood ratio in favour of the side that is spoken for, 1 or more. */
export function strengthOfRatio(ratio: number): Strength {
  const step = strengthFrom.findLastIndex((from) => ratio >= from);
  return strengths[Math.max(0, step)]!;
}
