/** How often results like this one were wrong when the models were measured, worded once for all outputs. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import { shareInterval } from '../detectors/likelihood-ratio.ts';
import type { MeasuredCondition } from '../contract/manifest.ts';
import { bestDeclaration } from './findings.ts';
import {
  type ChangeErrorRates,
  type ErrorRates,
  type MeasuredErrors,
  isSuspicion,
  lowCondition,
  type Result,
  sumFound,
  tracesAgree,
} from './result.ts';
import { createNumberWriter, wordsIn } from './wording/catalogue.ts';

type Decided = Pick<
  Result,
  | 'outcome'
  | 'reasons'
  | 'provenance'
  | 'errors'
  | 'changesFound'
  | 'isChangeHinted'
  | 'byTraces'
  | 'marked'
>;

/** The error rate in sentences; empty if the result has no validated meaning. */
export function writeErrorRate(decided: Decided, language: Language): string {
  const { outcome, provenance, errors } = decided;
  const pen = penIn(language);
  const { wrong } = pen;
  if (outcome === 'abstain') return '';
  if (outcome === 'declared') {
    const told = writeDeclared(provenance, pen);
    const rates = tracesAgree(decided) ? errors?.rates : undefined;
    return rates ? [told, wrong.byTraces, ...writeTraced(rates, pen)].join(' ') : told;
  }
  // A server sends the whole sentence or nothing at all.
  if (errors === null) return '';
  const { rates, calls } = errors;
  // The finding itself states how often a word stands out on an unchanged page; photographs were tested apart.
  if (isSuspicion(decided) && decided.marked === 'word') return '';
  const suspected = isSuspicion(decided) ? writeSuspected(errors, pen) : '';
  if (suspected !== '') return suspected;
  const told = outcome !== 'changed' && rates ? [...writeTraced(rates, pen)] : [];
  if (outcome !== 'fake' && calls) {
    const { unchanged, megapixels } = calls;
    const isOfAllSizes = unchanged !== undefined && megapixels !== undefined;
    const falsely = wrong.changed(...writeFalse(...unchangedCalled(calls), pen), isOfAllSizes);
    const found = writeCalled(calls.changedCalled, calls.changed, pen);
    const alarms = told.length === 0 ? wrong.alarms(falsely) : wrong.alarmsToo(falsely);
    told.push(wrong.found(found, writeSize(calls, pen)), alarms);
    if (decided.isChangeHinted) told.push(wrong.hints);
    else if (outcome === 'real' && !isBlindToChanges(decided)) told.push(...writeKinds(calls, pen));
  }
  return told.length === 0 ? wrong.unmeasured : told.join(' ');
}

type Pen = ReturnType<typeof penIn>;

function penIn(language: Language) {
  return { ...wordsIn(language).outcome, ...createNumberWriter(language) };
}

/** How many generated pictures the traces recognise, and how often they raise a false alarm. */
function writeTraced(rates: ErrorRates, pen: Pen): readonly string[] {
  const { wrong, count } = pen;
  const { fakeCalledFake, fakeCalledReal, fake, condition } = rates;
  const falsely = wrong.fake(...writeFalse(rates.realCalledFake, rates.real, pen));
  const alarms = wrong.alarms(falsely);
  // The correct answers of this model were not counted.
  if (fakeCalledFake === undefined) return [alarms];
  const passed = Math.round(fakeCalledReal * fake);
  const open = fake - Math.round(fakeCalledFake * fake) - passed;
  const called = writeCalled(fakeCalledFake, fake, pen);
  return [
    wrong.generated(writeQuality(condition, pen), called, count(open), count(passed)),
    alarms,
  ];
}

/** False alarms, as a count and as a rate with the upper end of its interval. */
function writeFalse(share: number, of: number, pen: Pen) {
  const { high } = shareInterval(Math.round(share * of), of);
  return [writeCalled(share, of, pen), pen.rate(share), pen.rate(high)] as const;
}

function writeDeclared(provenance: Result['provenance'], { wrong }: Pen): string {
  const declared = provenance === null ? null : bestDeclaration(provenance);
  return wrong[declared?.assurance === 'trusted' ? 'vouched' : 'declared'];
}

/** How often a change is missed, for a result without any sign; undefined if this is not known. */
export function writeMissed(result: Result, language: Language): string | undefined {
  const { outcome, changesFound } = result;
  if (outcome !== 'real' || !changesFound) return undefined;
  const { found, of } = changesFound;
  const pen = penIn(language);
  const write = pen.because[isBlindToChanges(result) ? 'blind' : 'missed'];
  return write(writeCalled((of - found) / of, of, pen));
}

/** Share of unchanged pictures that were called changed, and their number; counted over every size if possible. */
function unchangedCalled({ unchanged, ...calls }: ChangeErrorRates): [share: number, of: number] {
  return unchanged === undefined
    ? [calls.photographsCalled, calls.photographs]
    : [unchanged.called / unchanged.pictures, unchanged.pictures];
}

/** How often such a suspicion was raised wrongly and rightly; empty if this was not counted. */
function writeSuspected({ rates, calls }: MeasuredErrors, pen: Pen): string {
  const { kinds, unchanged } = calls ?? {};
  if (kinds === undefined || unchanged === undefined) return '';
  const falsely = unchanged.found / unchanged.pictures;
  const { found, pictures } = sumFound(kinds);
  return pen.wrong.suspected(
    writeQuality(rates?.condition, pen),
    writeCalled(found / pictures, pictures, pen),
    ...writeFalse(falsely, unchanged.pictures, pen),
  );
}

/** If a smaller share of changed pictures was found in tests, not finding a change says almost nothing. */
const hardlyEver = 0.1;

export function isBlindToChanges(result: Pick<Result, 'outcome' | 'changesFound'>): boolean {
  const { found = 1, of = 1 } = result.changesFound ?? {};
  return result.outcome === 'real' && found / of < hardlyEver;
}

/** The sizes that were counted together; empty if every size was. */
function writeSize({ megapixels }: ChangeErrorRates, { wrong, plain }: Pen): string {
  if (megapixels === undefined) return '';
  const { from, below } = megapixels;
  return wrong.sizes(from === 0 ? null : plain(from), below === null ? null : plain(below));
}

function writeQuality(condition: string | undefined, { wrong: { qualities } }: Pen): string {
  return condition === lowCondition ? qualities.low : qualities.usual;
}

/** How many changes were found or suspected, by kind of change; empty if they were not counted. */
function writeKinds({ kinds = [], unchanged }: ChangeErrorRates, pen: Pen): readonly string[] {
  const { wrong, count } = pen;
  if (kinds.length === 0 || unchanged === undefined) return [];
  const told = kinds.map(({ kind, found, pictures }) =>
    wrong.kind(wrong.kindNames[kind], String(found), String(pictures)),
  );
  const falsely = writeCalled(unchanged.found / unchanged.pictures, unchanged.pictures, pen);
  return [wrong.kinds(told.join(', '), count(sumFound(kinds).pictures), falsely)];
}

/** "3 of 37". */
function writeCalled(share: number, of: number, { wrong, count }: Pen): string {
  return wrong.some(count(Math.round(share * of)), count(of));
}

export function writeErrorRateBriefly(decided: Decided, language: Language): string {
  const { outcome, errors } = decided;
  const { rates = null, calls = null } = errors ?? {};
  const pen = penIn(language);
  const { brief } = pen.wrong;
  if (outcome === 'uncertain') {
    const { unchanged } = isSuspicion(decided) && decided.marked !== 'word' ? (calls ?? {}) : {};
    // Any other open result calls for a next step.
    if (unchanged === undefined) return '';
    const { pictures, found } = unchanged;
    return brief.suspected(writeCalled(found / pictures, pictures, pen));
  }
  if (outcome === 'real' && rates?.fakeCalledFake !== undefined && calls !== null) {
    return brief.real(
      writeCalled(rates.fakeCalledFake, rates.fake, pen),
      writeCalled(calls.changedCalled, calls.changed, pen),
    );
  }
  if (outcome === 'fake' && rates !== null) {
    return brief.fake(writeCalled(rates.realCalledFake, rates.real, pen));
  }
  if (outcome === 'changed' && calls !== null) {
    return brief.changed(writeCalled(...unchangedCalled(calls), pen));
  }
  if (outcome === 'declared') return writeDeclared(decided.provenance, pen);
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
