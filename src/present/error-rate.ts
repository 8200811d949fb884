/** How often a result like this one was wrong when the models were measured, as terminal, console and report tell it. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import { shareInterval } from '../engine/likelihood-ratio.ts';
import type { Examined } from '../engine/result.ts';
import type { MeasuredCondition, MeasuredRates } from '../inference/model.ts';
import { createNumberWriter } from './numbers.ts';
import { wordsIn } from './wording/catalogue.ts';

/** How often the model erred under this strategy, on pictures as they were; `real` and `fake` count them. */
export type ErrorRates = MeasuredRates & Pick<MeasuredCondition, 'real' | 'fake'>;

/** Of the files as they were, under the strategy that was used. */
export interface ChangeErrorRates {
  readonly changed: number;
  readonly photographs: number;
  /** Shares 0..1 of them that were called manipulated. */
  readonly changedCalled: number;
  readonly photographsCalled: number;
}

type Measured = Pick<Examined, 'measured' | 'measuredCalls' | 'options'>;

export function errorRatesOf({ measured, options }: Measured): ErrorRates | null {
  const asIs = measured.find(({ condition }) => condition === 'as is');
  if (!asIs) return null;
  const { real, fake, strategies } = asIs;
  return { real, fake, ...strategies[options.decisionStrategy] };
}

export function changeErrorRatesOf({ measuredCalls, options }: Measured): ChangeErrorRates | null {
  const asIs = measuredCalls.find(
    ({ condition, megapixels }) => condition === 'as is' && megapixels === undefined,
  );
  if (!asIs) return null;
  const { changed, photographs, strategies } = asIs;
  const called = strategies[options.decisionStrategy];
  return {
    changed,
    photographs,
    changedCalled: called.changed / changed,
    photographsCalled: called.photographs / photographs,
  };
}

export interface MeasuredErrors {
  readonly rates: ErrorRates | null;
  readonly calls: ChangeErrorRates | null;
}

/** One sentence for a decision by traces. */
export function writeErrorRate(
  outcome: 'real' | 'fake' | 'changed',
  { rates, calls }: MeasuredErrors,
  language: Language,
): string {
  const { wrong } = wordsIn(language).terminal;
  const { rate, count } = createNumberWriter(language);
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

/** The same of an examination; null where nothing was decided. */
export function errorRateIn(examined: Examined, language: Language): string | null {
  const { decision, provenance } = examined;
  const { resultClass, basis } = decision;
  if (resultClass !== 'real' && resultClass !== 'fake') return null;
  if (basis === 'declaration') {
    const declared = provenance.declarations.find(({ origin }) => origin !== 'captured');
    const { wrong } = wordsIn(language).terminal;
    return declared?.assurance === 'trusted' ? wrong.vouched : wrong.declared;
  }
  const outcome = basis === 'localisation' ? 'changed' : resultClass;
  const errors = { rates: errorRatesOf(examined), calls: changeErrorRatesOf(examined) };
  return writeErrorRate(outcome, errors, language);
}

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
