/** Figures that only the evaluation needs; those of `src/validation/statistics.ts` stand beside them. */

import type { Scored } from '../../src/validation/statistics.ts';

/** Share of fakes above the threshold that lets at most `falseAlarms` of the real pictures through. */
export function recallAt(scored: readonly Scored[], falseAlarms: number): number {
  const real = scored.filter(({ isFake }) => !isFake).map(({ score }) => score);
  const fake = scored.filter(({ isFake }) => isFake);
  const falling = real.toSorted((one, other) => other - one);
  const threshold = falling[Math.floor(falseAlarms * real.length)] ?? -Infinity;
  return fake.filter(({ score }) => score > threshold).length / fake.length;
}

/** Rank correlation, -1..1, of pairs without ties in either list (Spearman 1904). */
export function spearman(one: readonly number[], other: readonly number[]): number {
  const otherRanks = ranksOf(other);
  const squares = ranksOf(one).reduce((sum, rank, at) => sum + (rank - otherRanks[at]!) ** 2, 0);
  return 1 - (6 * squares) / (one.length * (one.length ** 2 - 1));
}

function ranksOf(values: readonly number[]): readonly number[] {
  return values.map((value) => values.filter((each) => each < value).length);
}
