/** One result in codes and values, read from an examination or from a server's response. */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Bilingual,
  type DecisionBasis,
  type ReasonCode,
  type ResultClass,
  resultSubClasses,
} from '../contract/vocabulary.ts';
import { strengthOfRatio } from '../detectors/detector.ts';
import { pictureSize } from '../detectors/network-findings.ts';
import { type Area, areaOf } from '../detectors/regions.ts';
import type { Examined, Manipulation, Place } from '../detectors/result.ts';
import { turnsToUpright } from '../image/orientation.ts';
import type {
  ChangeKind,
  MeasuredCalls,
  MeasuredCondition,
  MeasuredRates,
} from '../contract/manifest.ts';
import { altersContent, type FileStatements, type WordedFinding, wordFinding } from './findings.ts';
import type { Marked } from './wording/en/outcome.ts';

export type Outcome = 'real' | 'fake' | 'changed' | 'declared' | 'uncertain' | 'abstain';

/** Divides fake verdicts by what decided them. @param basis - null if a server does not send it. */
export function decideOutcome(resultClass: ResultClass, basis: DecisionBasis | null): Outcome {
  if (resultClass !== 'fake') return resultClass;
  if (basis === 'declaration') return 'declared';
  return basis === 'localisation' ? 'changed' : 'fake';
}

/** Values that a server does not send are null. */
export interface Result extends Figures {
  readonly outcome: Outcome;
  readonly reasons: readonly ReasonCode[];
  /** The finding that the picture does not look like a photograph; null if there is none. */
  readonly likeness: Bilingual | null;
  readonly hasGeneratorSize: boolean;
  readonly thresholds: Readonly<Record<string, number>>;
  /** The places marked as changed, in numbered order, if the answer names places; a server does not list them. */
  readonly areas: readonly Area[];
  /** How many places are marked, and how; a server sends this too. */
  readonly marked: Marked;
  readonly provenance: FileStatements | null;
  readonly errors: MeasuredErrors | null;
  readonly changesFound: Exclude<Evidence['changesFound'], undefined>;
  /** Whether the result is that no sign was found, although the search for changes gives weak support for one. */
  readonly isChangeHinted: boolean;
  /** Whether every mark lies where the file is damaged, which may by itself explain it. */
  readonly isOfDamage: boolean;
  /** Whether all methods together, where they were tested, do not support a change. */
  readonly isChangeNeutral: boolean;
  /** The verdict by the traces of the whole picture, if something else decided. */
  readonly byTraces: ResultClass | null;
  /** The sentence as a server sends it, without the figures behind it. */
  readonly errorRate: Evidence['errorRate'];
}

export interface Figures {
  /** Probability 0..1 that the picture was generated, with its standard deviation; null if it has no validated meaning. */
  readonly generated: { readonly value: number; readonly deviation: number } | null;
  /** The same for the probability that a part was changed. */
  readonly changed: number | null;
}

export function readResult(examined: Examined): Result {
  const { decision, manipulation, facts, provenance } = examined;
  const { resultClass, basis, reasons, thresholds } = decision;
  const outcome = decideOutcome(resultClass, basis);
  const ratio = changeRatio(examined);
  const isChangeHinted = outcome === 'real' && supportsChange(ratio);
  const places = showsPlaces({ outcome, reasons, isChangeHinted }) ? placesOf(manipulation) : [];
  const errors = readErrors(examined);
  return {
    outcome,
    reasons,
    likeness: likenessIn(examined.findings.map(wordFinding)),
    hasGeneratorSize: hasGeneratorSize(examined.findings),
    ...readFigures(examined),
    thresholds,
    areas: places.map(({ region }) => areaOf(region, facts)),
    marked: readMarked(places),
    provenance,
    errors,
    changesFound: toChangesFound(errors),
    isChangeHinted,
    isOfDamage: isOfDamage(examined),
    isChangeNeutral: ratio !== null && !supportsChange(ratio),
    byTraces: decision.byTraces?.resultClass ?? null,
    errorRate: null,
  };
}

/** Limited by what tests support; null if it was not measured, as for damaged files, or has no tested meaning. */
export function changeRatio(examined: Examined): number | null {
  const { changed } = readFigures(examined);
  const ratios = measuredLike(examined.measuredCalls, examined.facts)?.ratios;
  const isDamaged = examined.facts.soundShare !== undefined;
  if (changed === null || ratios === undefined || isDamaged) return null;
  const odds = changed / (1 - changed) / (ratios.prior / (1 - ratios.prior));
  return Math.max(ratios.lower, Math.min(odds, ratios.upper));
}

export function supportsChange(ratio: number | null): boolean {
  return strengthOfRatio(ratio ?? 1) !== 'none';
}

/** Whether the answer is that a part was changed, or may have been. */
export function isAboutPart(result: Pick<Result, 'outcome' | 'reasons'>): boolean {
  return result.outcome === 'changed' || isSuspicion(result);
}

/** Whether the answer names places: a change was found or is suspected, or there is a weak sign of one. */
export function showsPlaces(result: Pick<Result, 'outcome' | 'reasons' | 'isChangeHinted'>) {
  return isAboutPart(result) || result.isChangeHinted;
}

export function readMarked(places: readonly Pick<Place, 'methods'>[]): Marked {
  const sure = places.filter(({ methods }) => methods.length > 0);
  if (places.length > 0 && sure.length === 0) return 'unsure';
  if (sure.length < 2) return sure[0]?.methods.includes('changed-words') ? 'word' : 'one';
  const copies = sure.filter(({ methods }) => methods.includes('copy-move'));
  return sure.length === 2 && copies.length === 2 ? 'copies' : 'several';
}

/** Whether nothing was decided, but a change is suspected. */
export function isSuspicion({ outcome, reasons }: Pick<Result, 'outcome' | 'reasons'>): boolean {
  return outcome === 'uncertain' && reasons.includes('manipulation_suspected');
}

/** Whether a change is suspected on grounds that the answer may be headed by, such as an edit that the file declares. */
export function headsSuspicion(
  result: Pick<Result, 'outcome' | 'reasons' | 'isOfDamage' | 'isChangeNeutral' | 'provenance'>,
): boolean {
  const isWeak = result.isOfDamage || result.isChangeNeutral;
  return isSuspicion(result) && (!isWeak || altersContent(result.provenance));
}

/** Whether the file declares the picture generated, and its traces alone would lead to the same result. */
export function tracesAgree({ outcome, byTraces }: Pick<Result, 'outcome' | 'byTraces'>): boolean {
  return outcome === 'declared' && byTraces === 'fake';
}

/** Whether the whole picture shows no sign of generation, although a part was changed or may have been. */
export function isWholeReal(result: Pick<Result, 'outcome' | 'reasons' | 'byTraces'>): boolean {
  const { outcome, reasons, byTraces } = result;
  if (outcome === 'changed') return byTraces === 'real';
  return isSuspicion(result) && reasons.every((reason) => signsOfChange.includes(reason));
}

/** Whether a part was changed or may have been, while the traces of the whole picture decide nothing. */
export function isWholeOpen(result: Pick<Result, 'outcome' | 'reasons' | 'byTraces'>): boolean {
  if (result.outcome === 'changed') return result.byTraces === 'uncertain';
  return isSuspicion(result) && !isWholeReal(result);
}

const signsOfChange: readonly ReasonCode[] = ['manipulation_suspected', 'single_weak_method'];

/** Whether a change can only be suspected, however probable: the picture is too small or the file damaged. */
export function isNeverCalled({ thresholds }: Pick<Result, 'thresholds'>): boolean {
  return (thresholds['manipulatedMin'] ?? 0) >= 1;
}

export function likenessIn(
  findings: readonly Pick<WordedFinding, 'measures' | 'statement'>[],
): Bilingual | null {
  return findings.find(({ measures }) => measures['isPhotograph'] === 0)?.statement ?? null;
}

export function hasGeneratorSize(findings: readonly Pick<WordedFinding, 'method'>[]): boolean {
  return findings.some(({ method }) => method === pictureSize.method);
}

export function readFigures(examined: Pick<Examined, 'decision' | 'manipulation'>): Figures {
  const { resultClass, byTraces, basis, fakeProbability, fakeUncertainty } = examined.decision;
  const generated = { value: fakeProbability, deviation: fakeUncertainty };
  const changed = examined.manipulation?.probability ?? null;
  return testedFigures(
    { generated, changed },
    { byTraces: byTraces?.resultClass ?? resultClass, basis },
  );
}

/** Every marked place; empty if marks have no tested meaning for this picture. */
export function markedPlaces(examined: Pick<Examined, 'decision' | 'manipulation'>) {
  return readFigures(examined).changed === null ? [] : placesOf(examined.manipulation);
}

/** Whether places are marked, and all of them in the damaged part of the file. */
export function isOfDamage({ manipulation, facts }: Pick<Examined, 'manipulation' | 'facts'>) {
  const places = placesOf(manipulation);
  return places.length > 0 && places.every((place) => isInDamage(place, facts));
}

/** Whether a place extends into the missing rows: the last ones as stored, on whichever side they are displayed. */
export function isInDamage({ region }: Place, facts: Examined['facts']): boolean {
  const { soundShare = 1, width, height, orientation } = facts;
  const { left, top } = region;
  const [, degrees] = turnsToUpright(orientation);
  const reached = {
    0: (top + region.height) / height,
    90: 1 - left / width,
    180: 1 - top / height,
    270: (left + region.width) / width,
  };
  return reached[degrees] > soundShare;
}

/** Examinations from earlier versions have at most one region. */
export function placesOf(manipulation: Pick<Manipulation, 'region' | 'places' | 'methods'> | null) {
  if (manipulation === null) return [];
  const { region, places, methods } = manipulation;
  return places ?? (region === null ? [] : [{ region, methods }]);
}

/**
 * Probabilities with a tested meaning: outside the validated range, none has one unless a changed part decided.
 *
 * @param how - `byTraces`: the class indicated by the traces of the whole picture alone.
 */
export function testedFigures(
  { generated, changed }: Figures,
  { byTraces, basis }: { readonly byTraces: ResultClass; readonly basis: DecisionBasis | null },
): Figures {
  const isInside = byTraces !== 'abstain';
  return {
    generated: isInside ? generated : null,
    changed: isInside || basis === 'localisation' ? changed : null,
  };
}

/** A result as `/v1` returns it. @param areas - of the evidence's places. @param subClasses - used without evidence. */
export function readAnswer(
  verdict: ResultClass,
  evidence: Evidence | null,
  areas: readonly Area[],
  subClasses: readonly number[],
): Result {
  const basis = evidence?.basis ?? basisOf(subClasses);
  const changed = evidence?.manipulation?.probability ?? null;
  const byTraces = evidence?.byTraces?.resultClass ?? verdict;
  const outcome = decideOutcome(verdict, basis);
  const reasons = evidence?.reasons.map(({ code }) => code) ?? [];
  const weighed = evidence?.weighed?.find(({ question }) => question === 'changed');
  const isSupported = weighed?.side === 'fake' && weighed.strength !== 'none';
  const isChangeHinted = outcome === 'real' && isSupported;
  return {
    outcome,
    reasons,
    likeness: likenessIn(evidence?.findings ?? []),
    hasGeneratorSize: hasGeneratorSize(evidence?.findings ?? []),
    ...testedFigures({ generated: null, changed }, { byTraces, basis }),
    thresholds: {},
    areas: showsPlaces({ outcome, reasons, isChangeHinted }) ? areas : [],
    marked: readMarked(placesOf(evidence?.manipulation ?? null)),
    provenance: evidence?.provenance ?? null,
    errors: null,
    changesFound: evidence?.changesFound ?? null,
    isChangeHinted,
    isOfDamage: evidence?.manipulation?.isOfDamage === true,
    isChangeNeutral: weighed !== undefined && !isSupported,
    byTraces: evidence?.byTraces?.resultClass ?? null,
    errorRate: evidence?.errorRate ?? null,
  };
}

/** `ai-manipulated` comes only from a declaration, and `manipulated` only from a changed part. */
function basisOf(subClasses: readonly number[]): DecisionBasis | null {
  const named = subClasses.map((number) => resultSubClasses[number]);
  if (named.includes('ai-manipulated')) return 'declaration';
  return named.length === 1 && named[0] === 'manipulated' ? 'localisation' : null;
}

/**
 * How often the models were wrong in tests, under the same strategy, on pictures like this one: re-saved at a similar
 * quality and, if sizes were counted separately, of a similar size. Null if not measured.
 */
export interface MeasuredErrors {
  readonly rates: ErrorRates | null;
  readonly calls: ChangeErrorRates | null;
}

/** `real` and `fake` are the numbers of pictures. */
export type ErrorRates = MeasuredRates &
  Pick<MeasuredCondition, 'real' | 'fake'> & { readonly condition?: string };

export interface ChangeErrorRates {
  readonly changed: number;
  readonly photographs: number;
  /** The range of sizes counted; absent if every size was counted together. */
  readonly megapixels?: MeasuredCalls['megapixels'];
  /** Shares, 0..1, of the changed pictures and of the photographs that were called manipulated. */
  readonly changedCalled: number;
  readonly photographsCalled: number;
  /** By kind of change and for unchanged pictures: how many, and in how many a change was found. Default strategy. */
  readonly kinds?: readonly (FoundOf & { readonly kind: ChangeKind })[];
  readonly unchanged?: FoundOf & { readonly called: number };
}

type FoundOf = Readonly<Record<'pictures' | 'found', number>>;

export function sumFound(kinds: readonly FoundOf[]): FoundOf {
  const sum = (key: keyof FoundOf) => kinds.reduce((total, each) => total + each[key], 0);
  return { pictures: sum('pictures'), found: sum('found') };
}

export function readErrors(
  examined: Pick<Examined, 'measured' | 'measuredCalls' | 'facts' | 'options'>,
): MeasuredErrors {
  const { measured, measuredCalls, facts } = examined;
  const { decisionStrategy } = examined.options;
  const traces = measuredLike(measured, facts);
  const ofEverySize = measuredLike(measuredCalls, facts);
  const size = (facts.width * facts.height) / 1e6;
  const ofSize = measuredCalls.find(({ condition, megapixels: { from, below } = {} }) => {
    const isSized = from !== undefined && condition === ofEverySize?.condition;
    return isSized && size >= from && size < (below ?? Infinity);
  });
  const calls = ofSize ?? ofEverySize;
  const called = calls?.strategies[decisionStrategy];
  const { kinds, unchanged } = (decisionStrategy === 'default' ? ofEverySize : null) ?? {};
  return {
    rates: traces
      ? {
          condition: traces.condition,
          real: traces.real,
          fake: traces.fake,
          ...traces.strategies[decisionStrategy],
        }
      : null,
    calls:
      calls && called
        ? {
            changed: calls.changed,
            photographs: calls.photographs,
            changedCalled: called.changed / calls.changed,
            photographsCalled: called.photographs / calls.photographs,
            ...(calls.megapixels && { megapixels: calls.megapixels }),
            ...(kinds && { kinds: kinds.map((one) => ({ kind: one.kind, ...toFound(one) })) }),
            ...(unchanged && { unchanged: { ...toFound(unchanged), called: unchanged.called } }),
          }
        : null,
  };
}

export function toChangesFound({ calls }: MeasuredErrors): Result['changesFound'] {
  if (!calls?.changed) return null;
  return { found: Math.round(calls.changedCalled * calls.changed), of: calls.changed };
}

export function toFound(counts: Record<'pictures' | 'called' | 'suspected', number>): FoundOf {
  return { pictures: counts.pictures, found: counts.called + counts.suspected };
}

/** Below this quality, a JPEG file counts as re-saved at 75. */
const lowQuality = 85;
export const lowCondition = 'jpeg 75';

/** Of the conditions that were measured over every size, the one nearest to the file. */
export function measuredLike<
  Measured extends { readonly condition: string; readonly megapixels?: unknown },
>(measured: readonly Measured[], { jpeg }: Pick<Examined['facts'], 'jpeg'>): Measured | undefined {
  const ofEverySize = measured.filter(({ megapixels }) => megapixels === undefined);
  const isLow = jpeg?.quality != null && jpeg.quality.value < lowQuality;
  const named = (name: string) => ofEverySize.find(({ condition }) => condition === name);
  return (isLow ? named(lowCondition) : undefined) ?? named('as is');
}
