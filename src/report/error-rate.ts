/** How often a result like this one was wrong when the models were measured, in the words of the terminal and the console. */

import type { Language } from '../contract/vocabulary.ts';
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
  const asIs = measuredCalls.find(({ condition }) => condition === 'as is');
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
