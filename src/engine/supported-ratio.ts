/**
 * How strong a verdict may be said to be, judged by what was measured and not by what the model says of itself: the
 * likelihood ratio of being called real, or fake, that the model's error rates bear out.
 */

import type { MeasuredCondition, MeasuredRates } from '../inference/model.ts';
import { upperShare } from './proportions.ts';
import { decisionStrategies, type DecisionStrategy } from '../contract/vocabulary.ts';

export interface SupportedRatio {
  /** At most this, and never below 1. */
  readonly ratio: number;
  /** The strategy and the measured condition that gave it. */
  readonly strategy: DecisionStrategy;
  readonly condition: string;
  /** Pictures of the side itself that were called so, out of how many. */
  readonly right: number;
  readonly rightOf: number;
  /** Pictures of the other side that were called so all the same, out of how many. */
  readonly wrong: number;
  readonly wrongOf: number;
  /** Share of the other side, 0..1, that may be called so if bad luck is reckoned with: the upper 95 % bound. */
  readonly wrongAtMost: number;
}

/**
 * The best that the strategy or a looser one bears out. What is called fake under one is called fake under each that
 * follows, so their figures hold for the picture too; and a strict one decides so few pictures that its own figures
 * alone would make the clearest verdicts the weakest. The choice is the same for every picture.
 *
 * @returns null when the model was not measured, or its manifest does not tell how many were called right.
 */
export function supportedRatio(
  measured: readonly MeasuredCondition[],
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): SupportedRatio | null {
  const looser = decisionStrategies.slice(decisionStrategies.indexOf(strategy));
  return looser
    .map((one) => leastRatio(measured, one, side))
    .reduce((best, one) => ((one?.ratio ?? 0) > (best?.ratio ?? 0) ? one : best));
}

/**
 * The least of the measured conditions. Nobody knows the history of a picture, so the history under which the model
 * did worst is what counts; picking the one that seems to fit would let a guess raise the strength. Pictures are
 * counted as if they were independent of each other, although many come from one source.
 */
function leastRatio(
  measured: readonly MeasuredCondition[],
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): SupportedRatio | null {
  const ratios = measured.map((condition) => ratioUnder(condition, strategy, side));
  const known = ratios.filter((one) => one !== null);
  if (known.length === 0 || known.length < ratios.length) return null;
  return known.reduce((least, one) => (one.ratio < least.ratio ? one : least));
}

function ratioUnder(
  { condition, real, fake, strategies }: MeasuredCondition,
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): SupportedRatio | null {
  const shares = sharesOf(strategies[strategy], side);
  const [rightOf, wrongOf] = side === 'fake' ? [fake, real] : [real, fake];
  if (shares.right === undefined || rightOf === 0 || wrongOf === 0) return null;
  const wrong = Math.round(shares.wrong * wrongOf);
  const wrongAtMost = upperShare(wrong, wrongOf);
  return {
    ratio: Math.max(1, shares.right / wrongAtMost),
    strategy,
    condition,
    right: Math.round(shares.right * rightOf),
    rightOf,
    wrong,
    wrongOf,
    wrongAtMost,
  };
}

function sharesOf(rates: MeasuredRates, side: 'real' | 'fake') {
  return side === 'fake'
    ? { right: rates.fakeCalledFake, wrong: rates.realCalledFake }
    : { right: rates.realCalledReal, wrong: rates.fakeCalledReal };
}
