/** How often a result like this one was wrong when the models were measured, and what they find, as every surface tells it. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import { shareInterval } from '../engine/likelihood-ratio.ts';
import type { MeasuredCondition } from '../inference/manifest.ts';
import { createNumberWriter } from './numbers.ts';
import { bestDeclaration, type ChangeErrorRates, type ErrorRates, type Result } from './result.ts';
import { type Words, wordsIn } from './wording/catalogue.ts';

type Decided = Pick<Result, 'outcome' | 'provenance' | 'errors'>;

/** In sentences; empty where it has no tested meaning. */
export function writeErrorRate(
  { outcome, provenance, errors }: Decided,
  language: Language,
): string {
  const { wrong } = wordsIn(language).outcome;
  const { count } = createNumberWriter(language);
  if (outcome === 'abstain') return '';
  if (outcome === 'declared') {
    const declared = provenance === null ? null : bestDeclaration(provenance);
    return wrong[declared?.assurance === 'trusted' ? 'vouched' : 'declared'];
  }
  // A server sends the whole sentence or nothing.
  if (errors === null) return '';
  const { rates, calls } = errors;
  const told = {
    fake: () => (rates === null ? [] : [writeFalse('fake', rates.realCalledFake, rates.real)]),
    changed: () =>
      calls === null ? [] : [writeFalse('changed', calls.photographsCalled, calls.photographs)],
    power: () => [
      ...(rates === null ? [] : writeGenerated(rates, wrong, count)),
      ...(calls === null
        ? []
        : writeChanged(calls, { wrong, count, isByKind: outcome === 'real' })),
      ...(outcome === 'real' && (calls?.changedCalled ?? 1) < hardlyEver ? [wrong.hardly] : []),
    ],
  }[outcome === 'real' || outcome === 'uncertain' ? 'power' : outcome]();
  return told.length === 0 ? wrong.unmeasured : told.join(' ');

  function writeFalse(side: 'fake' | 'changed', share: number, of: number): string {
    const { high } = shareInterval(Math.round(share * of), of);
    return wrong[side](perHundred(share, wrong), count(of), count(Math.ceil(100 * high)));
  }
}

/** Of changed pictures: below this share, that no change was found says almost nothing. */
const hardlyEver = 0.1;

type Wrong = Words['outcome']['wrong'];

/** Nothing for a model whose right answers were not counted. */
function writeGenerated(
  { fakeCalledFake, fakeCalledReal, fake }: ErrorRates,
  wrong: Wrong,
  count: (value: number) => string,
): readonly string[] {
  if (fakeCalledFake === undefined) return [];
  const open = 100 - Math.round(100 * fakeCalledFake) - Math.round(100 * fakeCalledReal);
  return [
    wrong.generated({
      called: perHundred(fakeCalledFake, wrong),
      open: count(open),
      passed: perHundred(fakeCalledReal, wrong),
      of: count(fake),
    }),
  ];
}

interface Telling {
  readonly wrong: Wrong;
  readonly count: (value: number) => string;
  readonly isByKind: boolean;
}

function writeChanged(
  { changedCalled, changed, kinds = [] }: ChangeErrorRates,
  { wrong, count, isByKind }: Telling,
): readonly string[] {
  const told = kinds.map(({ kind, found, pictures }) =>
    wrong.kind(wrong.kindNames[kind], count(found), count(pictures)),
  );
  return [
    wrong.missed(perHundred(changedCalled, wrong), count(changed)),
    ...(isByKind && told.length > 0 ? [wrong.kinds(told.join(', '))] : []),
  ];
}

function perHundred(share: number, { fewerThanOne }: Wrong): string {
  const rounded = Math.round(100 * share);
  return share > 0 && rounded === 0 ? fewerThanOne : String(rounded);
}

/** The same in one line. */
export function writeErrorRateBriefly(decided: Decided, language: Language): string {
  const { wrong } = wordsIn(language).outcome;
  const { outcome, errors } = decided;
  const { rates = null, calls = null } = errors ?? {};
  // What is open asks for a next step.
  if (outcome === 'uncertain') return '';
  if (outcome === 'real' && rates?.fakeCalledFake !== undefined && calls !== null) {
    return wrong.brief.real(
      perHundred(rates.fakeCalledFake, wrong),
      perHundred(calls.changedCalled, wrong),
    );
  }
  if (outcome === 'changed' && calls !== null) {
    return wrong.brief.changed(perHundred(calls.photographsCalled, wrong));
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
