/**
 * How strong a verdict may be called, according to measured error rates rather than the model's own probability: the
 * likelihood ratio that the measurements support for a picture called real or fake.
 */

import { decisionStrategies, type DecisionStrategy } from '../contract/vocabulary.ts';
import type { MeasuredCondition } from '../contract/manifest.ts';

export type SupportedRatio = NonNullable<ReturnType<typeof ratioUnder>>;

/**
 * The highest ratio that this strategy or a looser one supports. A picture called fake under one strategy is also
 * called fake under every looser one, so their figures apply to it too. A strict strategy decides so few pictures that
 * its own figures alone would make the clearest verdicts the weakest. The same strategy is used for every picture.
 *
 * @returns null if the model was not measured, or if its manifest does not record how many calls were correct.
 */
export function supportedRatio(
  measured: readonly MeasuredCondition[],
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): SupportedRatio | null {
  const looser = decisionStrategies.slice(decisionStrategies.indexOf(strategy));
  // The minimum over the measured conditions. A picture's history is unknown, so the condition under which the model did
  // worst applies; to choose the condition that seems to fit would mean that a guess could raise the strength. Pictures
  // are treated as independent, although many share a source.
  const minRatio = (one: DecisionStrategy) => {
    const ratios = measured.map((condition) => ratioUnder(condition, one, side));
    const known = ratios.filter((ratio) => ratio !== null);
    if (known.length === 0 || known.length < ratios.length) return null;
    return known.reduce((least, ratio) => (ratio.ratio < least.ratio ? ratio : least));
  };
  return looser
    .map(minRatio)
    .reduce((best, one) => ((one?.ratio ?? 0) > (best?.ratio ?? 0) ? one : best));
}

function ratioUnder(
  { condition, real, fake, strategies }: MeasuredCondition,
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
) {
  const rates = strategies[strategy];
  const [rightOf, wrongOf] = side === 'fake' ? [fake, real] : [real, fake];
  const shares =
    side === 'fake'
      ? { right: rates.fakeCalledFake, wrong: rates.realCalledFake }
      : { right: rates.realCalledReal, wrong: rates.fakeCalledReal };
  if (shares.right === undefined || rightOf === 0 || wrongOf === 0) return null;
  const wrong = Math.round(shares.wrong * wrongOf);
  const wrongAtMost = upperShare(wrong, wrongOf);
  return {
    /** The highest likelihood ratio that the measurements support. */
    ratio: Math.max(1, shares.right / wrongAtMost),
    strategy,
    condition,
    /** Correct calls: `right` of the `rightOf` pictures that really belong to this class. */
    right: Math.round(shares.right * rightOf),
    rightOf,
    /** Wrong calls: `wrong` of the `wrongOf` pictures that belong to the other class. */
    wrong,
    wrongOf,
    /** Upper 95% bound on the share of the other class that is called this class, 0..1. */
    wrongAtMost,
  };
}

/**
 * Evaluates natural log likelihood ratios on held-out pictures: their mean cost in bits (Cllr), and the empirical lower
 * and upper bounds (ELUB). Within these, using the ratios costs no more than ignoring them, even with one misleading
 * ratio added on each side.
 *
 * @param supporting - log ratios of the pictures for which the proposition is true; `opposing` - of those for which it
 *   is false. Neither may be empty.
 * @see N. Brümmer, J. du Preez, "Application-independent evaluation of speaker detection", Computer Speech & Language
 *   20 (2006). P. Vergeer, A. van Es, A. de Jongh, I. Alberink, R. Stoel, "Numerical likelihood ratios outputted by LR
 *   systems are often based on extrapolation", Science & Justice 56 (2016).
 */
export function measureRatios(supporting: readonly number[], opposing: readonly number[]) {
  return {
    cllr: (meanBits(negated(supporting)) + meanBits(opposing)) / 2,
    lower: 1 / greatestRatio(negated(opposing), negated(supporting)),
    upper: greatestRatio(supporting, opposing),
  };
}

function meanBits(logs: readonly number[]): number {
  return logs.reduce((sum, log) => sum + Math.log2(1 + Math.exp(log)), 0) / logs.length;
}

function negated(logs: readonly number[]): readonly number[] {
  return logs.map((log) => -log);
}

function greatestRatio(right: readonly number[], wrong: readonly number[]): number {
  const step = 0.01;
  for (let limit = 0; ; limit += step) {
    const reach = (log: number) => log >= limit;
    const rightShare = right.filter(reach).length / (right.length + 1);
    const wrongShare = (wrong.filter(reach).length + 1) / (wrong.length + 1);
    if (Math.exp(limit) * wrongShare > rightShare) return Math.exp(Math.max(0, limit - step));
  }
}

/**
 * Clopper-Pearson upper bound: the largest true share, 0..1, at which observing at most `count` of `trials` still has
 * probability 1 - `confidence`. NaN without trials.
 *
 * @param count - a whole number, 0..trials.
 * @param confidence - confidence level of the one-sided bound.
 * @see C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
 *   binomial", Biometrika 26 (1934).
 */
function upperShare(count: number, trials: number, confidence = 0.95): number {
  if (!(trials > 0)) return Number.NaN;
  if (count >= trials) return 1;
  let below = count / trials;
  let above = 1;
  // Bisects down to the last bit of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (below + above) / 2;
    if (probabilityUpTo(count, trials, middle) > 1 - confidence) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

/** Two-sided Clopper-Pearson interval, leaving (1 - `confidence`) / 2 on each side. */
export function shareInterval(count: number, trials: number, confidence = 0.95) {
  const oneSided = (1 + confidence) / 2;
  return {
    low: 1 - upperShare(trials - count, trials, oneSided),
    high: upperShare(count, trials, oneSided),
  };
}

/** Binomial probability of at most `count`. `share` is at least count / trials, so that terms decrease downwards. */
function probabilityUpTo(count: number, trials: number, share: number): number {
  const odds = (1 - share) / share;
  let term = Math.exp(logBinomial(count, trials, share));
  let sum = 0;
  for (let i = count; i >= 0 && term > sum * Number.EPSILON; i--) {
    sum += term;
    term *= (i * odds) / (trials - i + 1);
  }
  return sum;
}

/** Natural logarithm of the binomial probability of exactly `count`. */
export function logBinomial(count: number, trials: number, share: number): number {
  const arrangements = logFactorial(trials) - logFactorial(count) - logFactorial(trials - count);
  return arrangements + count * Math.log(share) + (trials - count) * Math.log1p(-share);
}

/** Stirling's series; small factorials, for which the series is less accurate, are multiplied out. */
function logFactorial(n: number): number {
  if (n < 16) {
    let product = 1;
    for (let i = 2; i <= n; i++) product *= i;
    return Math.log(product);
  }
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series;
}
