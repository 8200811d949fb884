/** How often results like this one were wrong when the models were measured, worded once for all outputs. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import { shareInterval } from '../engine/likelihood-ratio.ts';
import type { MeasuredCondition } from '../inference/manifest.ts';
import { bestDeclaration } from './origin.ts';
import {
  type ChangeErrorRates,
  type ErrorRates,
  type MeasuredErrors,
  isSuspicion,
  lowCondition,
  type Result,
  tracesAgree,
} from './result.ts';
import { createNumberWriter, wordsIn } from './wording/catalogue.ts';

type Decided = Pick<
  Result,
  'outcome' | 'reasons' | 'provenance' | 'errors' | 'changesFound' | 'isChangeHinted' | 'byTraces'
>;

/** The error rate in sentences; empty if the result has no validated meaning. */
export function writeErrorRate(decided: Decided, language: Language): string {
  const { outcome, provenance, errors } = decided;
  const { wrong } = wordsIn(language).outcome;
  if (outcome === 'abstain') return '';
  if (outcome === 'declared') {
    const told = writeDeclared(provenance, language);
    const rates = tracesAgree(decided) ? errors?.rates : undefined;
    return rates ? [told, wrong.byTraces, ...writeTraced(rates, language)].join(' ') : told;
  }
  // A server sends the whole sentence or nothing at all.
  if (errors === null) return '';
  const { rates, calls } = errors;
  const suspected = isSuspicion(decided) ? writeSuspected(errors, language) : '';
  if (suspected !== '') return suspected;
  const told = outcome !== 'changed' && rates ? [...writeTraced(rates, language)] : [];
  if (outcome !== 'fake' && calls) {
    const { unchanged, megapixels } = calls;
    const isOfAllSizes = unchanged !== undefined && megapixels !== undefined;
    const falsely = wrong.changed(...writeFalse(...unchangedCalled(calls), language), isOfAllSizes);
    const found = writeCalled(calls.changedCalled, calls.changed, language);
    const alarms = told.length === 0 ? wrong.alarms(falsely) : wrong.alarmsToo(falsely);
    told.push(wrong.found(found, writeSize(calls, language)), alarms);
    const isSeeing = outcome === 'real' && !isBlindToChanges(decided);
    if (decided.isChangeHinted) told.push(wrong.hints);
    else if (isSeeing) told.push(...writeKinds(calls, language));
  }
  return told.length === 0 ? wrong.unmeasured : told.join(' ');
}

/** How many generated pictures the traces recognise, and how often they raise a false alarm. */
function writeTraced(rates: ErrorRates, language: Language): readonly string[] {
  const { wrong } = wordsIn(language).outcome;
  const falsely = wrong.fake(...writeFalse(rates.realCalledFake, rates.real, language));
  return [...writeGenerated(rates, language), wrong.alarms(falsely)];
}

/** False alarms, as a count and as a rate with the upper end of its interval. */
function writeFalse(share: number, of: number, language: Language) {
  return [writeCalled(share, of, language), ...writeRate(share, of, language)] as const;
}

function writeDeclared(provenance: Result['provenance'], language: Language): string {
  const { wrong } = wordsIn(language).outcome;
  const declared = provenance === null ? null : bestDeclaration(provenance);
  return wrong[declared?.assurance === 'trusted' ? 'vouched' : 'declared'];
}

/** How often a change is missed, for a result without any sign; undefined if this is not known. */
export function writeMissed(result: Result, language: Language): string | undefined {
  const { outcome, changesFound } = result;
  if (outcome !== 'real' || !changesFound) return undefined;
  const { found, of } = changesFound;
  const { missed, blind } = wordsIn(language).outcome.because;
  const write = isBlindToChanges(result) ? blind : missed;
  return write(writeCalled((of - found) / of, of, language));
}

/** The rate and the upper end of its interval, as in the annex. */
function writeRate(share: number, of: number, language: Language): [rate: string, high: string] {
  const { rate } = createNumberWriter(language);
  return [rate(share), rate(shareInterval(Math.round(share * of), of).high)];
}

/** Share of unchanged pictures that were called changed, and their number; counted over every size if possible. */
function unchangedCalled({ unchanged, ...calls }: ChangeErrorRates): [share: number, of: number] {
  return unchanged === undefined
    ? [calls.photographsCalled, calls.photographs]
    : [unchanged.called / unchanged.pictures, unchanged.pictures];
}

/** How often such a suspicion was raised wrongly and rightly; empty if this was not counted. */
function writeSuspected({ rates, calls }: MeasuredErrors, language: Language): string {
  const { kinds, unchanged } = calls ?? {};
  if (kinds === undefined || unchanged === undefined) return '';
  const { suspected } = wordsIn(language).outcome.wrong;
  const falsely = unchanged.found / unchanged.pictures;
  const changed = kinds.reduce((sum, { pictures }) => sum + pictures, 0);
  const found = kinds.reduce((sum, one) => sum + one.found, 0);
  return suspected(
    writeQuality(rates?.condition, language),
    writeCalled(found / changed, changed, language),
    writeCalled(falsely, unchanged.pictures, language),
    ...writeRate(falsely, unchanged.pictures, language),
  );
}

/** If a smaller share of changed pictures was found in tests, not finding a change says almost nothing. */
const hardlyEver = 0.1;

export function isBlindToChanges(result: Pick<Result, 'outcome' | 'changesFound'>): boolean {
  const { found = 1, of = 1 } = result.changesFound ?? {};
  return result.outcome === 'real' && found / of < hardlyEver;
}

/** Whether only signs of generation are ruled out, because changes are hinted at or cannot be judged. */
export function leavesChangesOpen(
  result: Pick<Result, 'outcome' | 'changesFound' | 'isChangeHinted'>,
): boolean {
  return result.isChangeHinted || isBlindToChanges(result);
}

/** Empty for a model whose correct answers were not counted. */
function writeGenerated(
  { fakeCalledFake, fakeCalledReal, fake, condition }: ErrorRates,
  language: Language,
): readonly string[] {
  if (fakeCalledFake === undefined) return [];
  const { count } = createNumberWriter(language);
  const passed = Math.round(fakeCalledReal * fake);
  const open = fake - Math.round(fakeCalledFake * fake) - passed;
  const called = writeCalled(fakeCalledFake, fake, language);
  const { generated } = wordsIn(language).outcome.wrong;
  return [generated(writeQuality(condition, language), called, count(open), count(passed))];
}

/** The sizes that were counted together; empty if every size was. */
function writeSize({ megapixels }: ChangeErrorRates, language: Language): string {
  if (megapixels === undefined) return '';
  const { plain } = createNumberWriter(language);
  const { from, below } = megapixels;
  return wordsIn(language).outcome.wrong.sizes(
    from === 0 ? null : plain(from),
    below === null ? null : plain(below),
  );
}

function writeQuality(condition: string | undefined, language: Language): string {
  const { qualities } = wordsIn(language).outcome.wrong;
  return condition === lowCondition ? qualities.low : qualities.usual;
}

/** How many changes were found or suspected, by kind of change; empty if they were not counted. */
function writeKinds({ kinds = [], unchanged }: ChangeErrorRates, language: Language) {
  const { wrong } = wordsIn(language).outcome;
  const told = kinds.map(({ kind, found, pictures }) =>
    wrong.kind(wrong.kindNames[kind], String(found), String(pictures)),
  );
  if (told.length === 0 || unchanged === undefined) return [];
  const { found, pictures } = unchanged;
  const changed = kinds.reduce((sum, one) => sum + one.pictures, 0);
  const falsely = writeCalled(found / pictures, pictures, language);
  return [wrong.kinds(told.join(', '), createNumberWriter(language).count(changed), falsely)];
}

/** "3 of 37". */
function writeCalled(share: number, of: number, language: Language): string {
  const { count } = createNumberWriter(language);
  return wordsIn(language).outcome.wrong.some(count(Math.round(share * of)), count(of));
}

export function writeErrorRateBriefly(decided: Decided, language: Language): string {
  const { brief } = wordsIn(language).outcome.wrong;
  const { outcome, errors } = decided;
  const { rates = null, calls = null } = errors ?? {};
  if (outcome === 'uncertain') {
    const { unchanged } = isSuspicion(decided) ? (calls ?? {}) : {};
    // Any other open result calls for a next step.
    if (unchanged === undefined) return '';
    const { pictures, found } = unchanged;
    return brief.suspected(writeCalled(found / pictures, pictures, language));
  }
  if (outcome === 'real' && rates?.fakeCalledFake !== undefined && calls !== null) {
    return brief.real(
      writeCalled(rates.fakeCalledFake, rates.fake, language),
      writeCalled(calls.changedCalled, calls.changed, language),
    );
  }
  if (outcome === 'fake' && rates !== null) {
    return brief.fake(writeCalled(rates.realCalledFake, rates.real, language));
  }
  if (outcome === 'changed' && calls !== null) {
    return brief.changed(writeCalled(...unchangedCalled(calls), language));
  }
  if (outcome === 'declared') return writeDeclared(decided.provenance, language);
  return writeErrorRate(decided, language);
}

export interface MeasuredError {
  /** Shares, 0..1: the measured share, and the two ends of its two-sided 95% interval. */
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
