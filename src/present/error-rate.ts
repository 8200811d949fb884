/** How often a result like this one was wrong when the models were measured, as terminal, console and report tell it. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import { shareInterval } from '../engine/likelihood-ratio.ts';
import type { MeasuredCondition } from '../inference/manifest.ts';
import { createNumberWriter } from './numbers.ts';
import { bestDeclaration, type Result } from './result.ts';
import { wordsIn } from './wording/catalogue.ts';

type Decided = Pick<Result, 'outcome' | 'provenance' | 'errors'>;

/** In one or two parts of a sentence; empty where nothing was decided. */
export function writeErrorRate(
  { outcome, provenance, errors }: Decided,
  language: Language,
): string {
  const { wrong } = wordsIn(language).outcome;
  const { rate, count } = createNumberWriter(language);
  if (outcome === 'uncertain' || outcome === 'abstain') return '';
  if (outcome === 'declared') {
    const declared = provenance === null ? null : bestDeclaration(provenance);
    return wrong[declared?.assurance === 'trusted' ? 'vouched' : 'declared'];
  }
  // A server sends the whole sentence or nothing.
  if (errors === null) return '';
  const { rates, calls } = errors;
  const parts = {
    real: [
      ...(rates === null ? [] : [wrong.real(rate(rates.fakeCalledReal), count(rates.fake))]),
      ...(calls === null
        ? []
        : [wrong.missed(rate(1 - calls.changedCalled), count(calls.changed))]),
    ],
    fake: rates === null ? [] : [wrong.fake(rate(rates.realCalledFake), count(rates.real))],
    changed:
      calls === null
        ? []
        : [wrong.changed(rate(calls.photographsCalled), count(calls.photographs))],
  };
  const told = parts[outcome];
  return told.length === 0 ? wrong.unmeasured : `${wrong.measured}${told.join(wrong.and)}.`;
}

/** The same in one line. */
export function writeErrorRateBriefly(decided: Decided, language: Language): string {
  const { brief } = wordsIn(language).outcome.wrong;
  const { rate, count } = createNumberWriter(language);
  const { outcome, errors } = decided;
  const { rates = null, calls = null } = errors ?? {};
  if (outcome === 'real' && rates !== null && calls !== null) {
    return brief.real(rate(rates.fakeCalledReal), rate(1 - calls.changedCalled));
  }
  if (outcome === 'changed' && calls !== null) {
    return brief.changed(rate(calls.photographsCalled), count(calls.photographs));
  }
  return writeErrorRate(decided, language);
}

export interface MeasuredError {
  /** Shares 0..1: measured, and the ends of its two-sided 95 % interval. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

export function readError(
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
    error: readError(measured, strategy, side),
  }));
  return errors.toSorted((a, b) => b.error.high - a.error.high)[0] ?? null;
}
