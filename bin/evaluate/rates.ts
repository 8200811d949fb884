/** How often verdicts are reached and wrong, with intervals. Errors are shares of the decided pictures of a class. */

import type { DecisionStrategy } from '../../src/contract/vocabulary.ts';
import { auc, aucInterval, calibrationError } from '../../src/service/validation/figures.ts';
import { type Estimate, estimateOf, type Rate, rateOf } from './intervals.ts';
import { type Outcome, toScored } from './read-samples.ts';

export const realOf = (rows: readonly Outcome[]) => rows.filter(({ sample }) => !sample.isFake);
export const fakeOf = (rows: readonly Outcome[]) => rows.filter(({ sample }) => sample.isFake);

/** NaN without both classes. */
export function aucOf(rows: readonly Outcome[]): Estimate {
  const scored = rows.map(toScored);
  const value = auc(scored);
  if (Number.isNaN(value)) return { value, low: value, high: value };
  const [low, high] = aucInterval(scored);
  return { value, low, high };
}

export function decidedRate(rows: readonly Outcome[], strategy: DecisionStrategy): Rate {
  return rateOf(rows, (row) => isDecided(row, strategy));
}

/** Of all these pictures, decided or not. */
export function calledRate(
  rows: readonly Outcome[],
  strategy: DecisionStrategy,
  called: 'real' | 'fake',
): Rate {
  return rateOf(rows, ({ classes }) => classes[strategy] === called);
}

export function calledFakeRate(rows: readonly Outcome[], strategy: DecisionStrategy): Rate {
  return rateOf(realOf(decidedOf(rows, strategy)), ({ classes }) => classes[strategy] === 'fake');
}

export function calledRealRate(rows: readonly Outcome[], strategy: DecisionStrategy): Rate {
  return rateOf(fakeOf(decidedOf(rows, strategy)), ({ classes }) => classes[strategy] === 'real');
}

export interface WorstSource {
  readonly source: string;
  /** Its interval treats the pictures of the source as independent. */
  readonly calledFake: Rate;
}

/** With fewer decided photographs a source has no meaningful rate. */
const minOfSource = 10;

/**
 * Of the sources with at least ten decided photographs, the one with the largest share called fake;
 * null if there is none.
 */
export function worstSourceOf(
  rows: readonly Outcome[],
  strategy: DecisionStrategy,
): WorstSource | null {
  const sources = [...Map.groupBy(realOf(rows), ({ sample }) => sample.source)]
    .map(([source, some]) => ({ source, calledFake: calledFakeRate(some, strategy) }))
    .filter(({ calledFake }) => calledFake.of >= minOfSource);
  return sources.toSorted((one, other) => other.calledFake.value - one.calledFake.value)[0] ?? null;
}

/** Expected calibration error of the probability of decided pictures; both classes of all pictures have equal weight. */
export function decidedError(rows: readonly Outcome[], strategy: DecisionStrategy): Estimate {
  return estimateOf(rows, (some) =>
    calibrationError(decidedOf(some, strategy).map(toScored), some.map(toScored)),
  );
}

/** The share of decided pictures that are decided the other way after a re-save. */
export function flipRate(rows: readonly Outcome[], strategy: DecisionStrategy): Rate {
  return rateOf(decidedOf(rows, strategy), ({ flips }) => flips?.[strategy] !== undefined);
}

function decidedOf(rows: readonly Outcome[], strategy: DecisionStrategy): readonly Outcome[] {
  return rows.filter((row) => isDecided(row, strategy));
}

function isDecided({ classes }: Outcome, strategy: DecisionStrategy): boolean {
  return classes[strategy] === 'real' || classes[strategy] === 'fake';
}
