/** How often pictures of one side were put on the other one when a model was measured. */

import type { DecisionStrategy } from '../contract/vocabulary.ts';
import { shareInterval } from '../engine/likelihood-ratio.ts';
import type { MeasuredCondition } from '../inference/model.ts';

export interface MeasuredError {
  /** Shares 0..1: measured, and the ends of its two-sided 95 % interval. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

export function errorOf(
  { real, fake, strategies }: MeasuredCondition,
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): MeasuredError {
  const { realCalledFake, fakeCalledReal } = strategies[strategy];
  const [rate, trials] = side === 'real' ? [realCalledFake, real] : [fakeCalledReal, fake];
  return { rate, ...shareInterval(Math.round(rate * trials), trials) };
}

/** By the upper end of the interval: few pictures without an error are no better than many with one. Null when nothing was measured. */
export function worstError(
  conditions: readonly MeasuredCondition[],
  strategy: DecisionStrategy,
  side: 'real' | 'fake',
): { readonly measured: MeasuredCondition; readonly error: MeasuredError } | null {
  const errors = conditions.map((measured) => ({
    measured,
    error: errorOf(measured, strategy, side),
  }));
  return errors.toSorted((a, b) => b.error.high - a.error.high)[0] ?? null;
}
