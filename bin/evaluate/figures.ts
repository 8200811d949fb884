/**
 * Figures that only the evaluation needs, in addition to those of
 * `src/service/validation/figures.ts`.
 */

import type { Scored } from '../../src/service/validation/figures.ts';

/** Share of fakes above the threshold that at most `falseAlarms` of the real pictures exceed. */
export function recallAt(scored: readonly Scored[], falseAlarms: number): number {
  const real = scored.filter(({ isFake }) => !isFake).map(({ score }) => score);
  const fake = scored.filter(({ isFake }) => isFake);
  const falling = real.toSorted((one, other) => other - one);
  const threshold = falling[Math.floor(falseAlarms * real.length)] ?? -Infinity;
  return fake.filter(({ score }) => score > threshold).length / fake.length;
}

/** Rank correlation, -1..1 (Spearman 1904); ties share their mean rank. NaN if all values of one list are equal. */
export function spearman(one: readonly number[], other: readonly number[]): number {
  return correlation(ranksOf(one), ranksOf(other));
}

function ranksOf(values: readonly number[]): readonly number[] {
  return values.map((value) => {
    const below = values.filter((each) => each < value).length;
    const equal = values.filter((each) => each === value).length;
    return below + (equal - 1) / 2;
  });
}

/** Pearson's. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const [ones, others] = [centred(one), centred(other)];
  return dot(ones, others) / Math.sqrt(dot(ones, ones) * dot(others, others));
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}

/** Of the values themselves, not an estimate for a population. */
export function standardDeviation(values: readonly number[]): number {
  return Math.sqrt(meanOf(centred(values).map((value) => value ** 2)));
}

function centred(values: readonly number[]): readonly number[] {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
