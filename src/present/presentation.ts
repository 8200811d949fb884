/** What a result means for a reader, decided here once; card, table, report and console only lay it out. */

import type { InconsistencyCode, Language, ReasonCode } from '../contract/vocabulary.ts';
import type { Area } from '../detectors/regions.ts';
import {
  isBlindToChanges,
  writeErrorRate,
  writeErrorRateBriefly,
  writeMissed,
} from './error-rate.ts';
import {
  altersContent,
  bestDeclaration,
  declaredEdits,
  type FileStatements,
  looksLikeCameraFile,
  longestNamed,
  signerTrust,
  withoutBuild,
  writeDeclaredEdits,
  writeOrigin,
  writeWarnings,
} from './findings.ts';
import { capitalised, kept, printable } from './text.ts';
import {
  headsSuspicion,
  isAboutPart,
  isSuspicion,
  isWholeOpen,
  isWholeReal,
  type Outcome,
  type Result,
  tracesAgree,
} from './result.ts';
import { createNumberWriter, type NumberWriter, type Words, wordsIn } from './wording/catalogue.ts';

/** A probability and its limits, rounded together so that a value never looks equal to the limit beside it. */
export interface Figure {
  readonly value: string;
  readonly deviation: string | null;
  /** Below the first limit one side is decided, and at or above the second the other; null if unknown. */
  readonly limits: readonly [low: string, high: string] | null;
}

/** Texts in one language. Names from the file are left as they are; the layout makes them printable. */
export interface Presentation {
  readonly outcome: Outcome;
  readonly headline: string;
  readonly because: string;
  readonly short: string;
  /** The next step; `further` lists others, for use if there is space. */
  readonly next: string;
  readonly further: readonly string[];
  /** Null if the probability has no validated meaning, or if the file itself declares what it is. */
  readonly generated: Figure | null;
  readonly changed: Figure | null;
  /** How often such a result was wrong in tests; empty if nothing was decided. */
  readonly errorRate: string;
  readonly errorRateBriefly: string;
  /** What the file says about itself; empty if unknown. */
  readonly origin: string;
  /** Parts of the file that could not be read; empty if there are none. */
  readonly warnings: string;
}

export function present(result: Result, language: Language): Presentation {
  const { outcome, provenance } = result;
  const words = wordsIn(language);
  const ground = statedGround(mainGround(result), provenance);
  const [next = '', ...further] = nextSteps(result).map((step) => words.outcome.next[step]);
  const isDeclared = outcome === 'declared';
  return {
    outcome,
    headline: writeHeadline(result, words),
    because: writeGround(result, language),
    short: words.outcome.short[shortGround(result, ground)],
    next,
    further,
    ...(isDeclared ? { generated: null, changed: null } : writeFigures(result, language)),
    errorRate: result.errorRate?.[language] ?? writeErrorRate(result, language),
    errorRateBriefly:
      firstSentence(result.errorRate?.[language]) ?? writeErrorRateBriefly(result, language),
    origin:
      provenance === null ? '' : `${capitalised(writeOrigin(provenance, language).join('; '))}.`,
    warnings: provenance === null ? '' : writeWarnings(provenance, language).join(' '),
  };
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.+?[.!?](?= +\p{Lu}|$)/u.exec(text)?.[0] ?? text);
}

function shortGround(result: Result, ground: Ground) {
  if (result.isChangeHinted) return 'hinted';
  if (isBlindToChanges(result)) return 'blind';
  if (!isSuspicion(result) || headsSuspicion(result)) return ground;
  return result.isOfDamage ? 'damaged' : 'isolated';
}

/** The reason at the length that a report has room for. The places of a change are listed beside it. */
export function writeGroundInFull(result: Result, language: Language): string {
  const { outcome, provenance } = result;
  const { because } = wordsIn(language).outcome;
  const edits = writeDeclaredEdits(provenance, language);
  // Edits that alter the picture are already among the reasons for a suspicion.
  const isReason = isSuspicion(result) && altersContent(provenance);
  const isEdited = edits !== '' && !isReason && statesEdits.has(outcome);
  return kept([
    writeGround(result, language, !isAboutPart(result)),
    isWholeReal(result) && because.wholeReal,
    isWholeOpen(result) && because.wholeOpen,
    outcome === 'uncertain' && writeSavedAgain(provenance, language),
    isEdited && because.declaredEdits(edits, signerTrust(provenance)),
  ]).join(' ');
}

export function writeReliance(result: Result, { verdict }: Words): string {
  const outcome = tracesAgree(result) ? 'agreeing' : result.outcome;
  return verdict.conclusion[headsSuspicion(result) ? 'suspected' : outcome];
}

const statesEdits: ReadonlySet<Outcome> = new Set(['real', 'uncertain', 'changed']);

/** @param isPlaced - false if the places are listed beside it. */
function writeGround(result: Result, language: Language, isPlaced = true): string {
  const words = wordsIn(language);
  const { because } = words.outcome;
  const ground = mainGround(result);
  const likeness = ground === 'not_a_photograph' ? result.likeness?.[language] : undefined;
  const isDamage = isSuspicion(result) && !headsSuspicion(result) && result.isOfDamage;
  const hint = result.isChangeHinted ? because.hinted : isDamage ? because.damaged : undefined;
  const why = hint ?? writeMissed(result, language) ?? likeness;
  return kept([
    why ?? writeBecause(ground, result, words, isPlaced),
    result.outcome === 'real' && writeSavedAgain(result.provenance, language),
  ]).join(' ');
}

/** Whether the file was saved again after the picture was taken, and how that is known; empty if it was not. */
function writeSavedAgain(provenance: Result['provenance'], language: Language): string {
  const again = savedAgain(provenance);
  if (provenance === null || again === null) return '';
  const { outcome, findings } = wordsIn(language);
  const write = outcome.because.savedAgain;
  if (again === 'signed') return write.signed;
  if (again === 'rewritten') return write.rewritten(lastProgram(provenance));
  const [code] = provenance.inconsistencies.map((one) => one.code).filter(isOfSaving);
  const sign = code === undefined ? '' : findings.contradictions[code];
  return write.saved(lastProgram(provenance), sign);
}

/** The gravest sign, in the file's own records, of a save after the picture was taken; null if there is none. */
function savedAgain(provenance: FileStatements | null) {
  if (provenance === null) return null;
  const { software, history, credentials, inconsistencies } = provenance;
  const codes = inconsistencies.map(({ code }) => code);
  if (codes.includes('maker_note_missing_for_camera')) return 'rewritten';
  if (credentials?.integrity === 'broken') return 'signed';
  const isEdited = history.length > 0 || software.some(({ kind }) => kind === 'editor');
  return isEdited || codes.some(isOfSaving) ? 'saved' : null;
}

/** The program that last saved the file, according to the file itself; null if it names none. */
function lastProgram(provenance: FileStatements | null): string | null {
  const last = provenance?.history.findLast(({ software }) => software !== null)?.software;
  const name = last ?? provenance?.software.find(({ kind }) => kind === 'editor')?.name;
  return name == null ? null : printable(withoutBuild(name), longestNamed);
}

/** Whether this is a sign of saving, not merely a possible sign of a wrong clock. */
function isOfSaving(code: InconsistencyCode): boolean {
  return !clockErrors.has(code);
}

const clockErrors: ReadonlySet<InconsistencyCode> = new Set([
  'created_after_modified',
  'time_in_future',
  'gps_time_differs',
]);

function writeHeadline(result: Result, { outcome: { headlines } }: Words): string {
  const { outcome, marked, provenance } = result;
  const isSuspected = isSuspicion(result);
  if (isSuspected && altersContent(provenance)) return headlines.editDeclared;
  if (isSuspected && result.isOfDamage) return headlines.damaged;
  if (isSuspected && result.isChangeNeutral) return headlines.isolated(marked === 'copies');
  if (isSuspected || outcome === 'changed') {
    if (marked === 'copies') return headlines[isSuspected ? 'copySuspected' : 'copied'];
    return headlines[isSuspected ? 'suspected' : 'changed'](marked === 'several');
  }
  if (result.isChangeHinted) return headlines.hinted;
  if (outcome === 'declared') {
    const origin = provenance === null ? null : bestDeclaration(provenance)?.origin;
    return headlines.declared(origin === 'ai-manipulated', tracesAgree(result));
  }
  if (mainGround(result) === 'declaration_contradicts_traces') return headlines.contradicted;
  return headlines[isBlindToChanges(result) ? 'blind' : outcome];
}

/** What a result is based on: what was found, or why nothing was decided. */
type Ground = Exclude<Outcome, 'uncertain' | 'abstain'> | ReasonCode | 'unstated';

/** The reason to give if there is space for only one: a suspected change or "not a photograph" first. */
export function mainGround({ outcome, reasons }: Result): Ground {
  if (outcome !== 'uncertain' && outcome !== 'abstain') return outcome;
  return namedFirst.find((reason) => reasons.includes(reason)) ?? reasons[0] ?? 'unstated';
}

const namedFirst: readonly ReasonCode[] = ['manipulation_suspected', 'not_a_photograph'];

/** @param result - null if the ground needs none. @param isPlaced - false if the places are listed beside it. */
export function writeBecause(
  given: Ground,
  result: Pick<Result, 'areas' | 'marked' | 'provenance' | 'hasGeneratorSize'> | null,
  words: Words,
  isPlaced = true,
): string {
  const { because } = words.outcome;
  const { areas = [], marked = 'one', provenance = null } = result ?? {};
  const ground = statedGround(given, provenance);
  if (ground === 'changed' || ground === 'manipulation_suspected') {
    const places = isPlaced && areas.length > 0 ? ` (${writePlaces(areas, words)})` : '';
    return because[ground](places, marked);
  }
  if (ground === 'fake') return because.fake(result?.hasGeneratorSize === true);
  if (ground !== 'declared') return because[ground];
  const declared = provenance === null ? null : bestDeclaration(provenance);
  if (declared === null) return '';
  const { place, generator } = declared;
  return because.declared(
    words.findings.declarationPlaces[place],
    generator === null ? '' : ` (${withoutBuild(generator)})`,
  );
}

/** A server that sends no evidence does not say whether traces or an entry in the file decided, nor which entry. */
function statedGround(ground: Ground, provenance: Result['provenance']): Ground {
  const isUnstated = (ground === 'fake' || ground === 'declared') && provenance === null;
  return isUnstated ? 'unstated' : ground;
}

/** Writes each place with its share of the picture; numbered if there are several. */
export function writePlaces(areas: readonly Area[], { findings, outcome }: Words): string {
  const written = areas.map(({ place, share }) =>
    outcome.where(findings.places[place], findings.writeShare(share)),
  );
  const [only = ''] = written;
  if (written.length < 2) return only;
  return written.map((text, at) => `${at + 1}: ${text}`).join('; ');
}

type Step = keyof Words['outcome']['next'];

/** The company whose generators embed SynthID, which only its own detector can read. */
const google = /google|gemini|imagen/i;

function nextSteps(result: Result): readonly Step[] {
  const { outcome, reasons, provenance } = result;
  const main = mainGround(result);
  const { integrity, trust } = provenance?.credentials ?? {};
  // No trust list contains a test certificate.
  const isSignerOpen =
    integrity === 'valid' && trust === 'not-checked' && signerTrust(provenance) !== 'test';
  const isSignerFirst = outcome !== 'fake' && outcome !== 'changed';
  const signer: readonly Step[] = isSignerOpen ? ['signer'] : [];
  const original = integrity === 'broken' ? 'broken' : 'manipulation_suspected';
  const isEdited = savedAgain(provenance) !== null || declaredEdits(provenance).length > 0;
  // Something that is not a photograph has no file from a camera.
  const signed: readonly Step[] =
    (isEdited || result.isChangeHinted) && main !== 'not_a_photograph' ? [original] : [];
  const declared: readonly Step[] =
    isSuspicion(result) && altersContent(provenance) ? ['edits'] : [];
  const asksAlready = main === 'manipulation_suspected' || signed.length > 0;
  // If it is not a photograph, the lack of a photograph's properties is no reason to get another copy.
  const grounds: readonly Ground[] = main === 'not_a_photograph' ? [main] : [main, ...reasons];
  const steps = grounds
    .filter((ground) => !asksAlready || ground !== 'evidence_below_threshold')
    .map((ground) => stepFor(ground, result));
  const isGoogle = provenance?.declarations.some(({ generator }) => google.test(generator ?? ''));
  const first: readonly Step[] = isGoogle === true && !steps.includes('vouched') ? ['synthid'] : [];
  return [
    ...first,
    ...declared,
    ...new Set(isSignerFirst ? [...signer, ...steps, ...signed] : [...steps, ...signer]),
  ];
}

function stepFor(ground: Ground, { provenance }: Result): Step {
  if (provenance === null) return ground;
  if (ground === 'declared') {
    return bestDeclaration(provenance)?.assurance === 'trusted' ? 'vouched' : 'declared';
  }
  return asksForOriginal.has(ground) && looksLikeCameraFile(provenance) ? 'compare' : ground;
}

/** Asking for an earlier or larger copy makes no sense if this is the camera's own file. */
const asksForOriginal: ReadonlySet<Ground> = new Set([
  'fake',
  'too_small',
  'too_compressed',
  'no_usable_trace',
  'margin_within_uncertainty',
  'unstable_under_resaving',
  'manipulation_suspected',
]);

/** The probabilities, each with the limits that it was compared with. */
export function writeFigures(
  result: Pick<Result, 'generated' | 'changed' | 'thresholds' | 'reasons'>,
  language: Language,
): Pick<Presentation, 'generated' | 'changed'> {
  const { generated, changed, thresholds, reasons } = result;
  const numbers = createNumberWriter(language);
  const { realMax, fakeMin, suspectedMin = 0, manipulatedMin } = thresholds;
  // A single method can be enough for a suspicion; the combined limits then explain nothing.
  const isByOne = reasons.includes('manipulation_suspected') && (changed ?? 1) < suspectedMin;
  const limits = isByOne ? null : bothOrNull(thresholds['suspectedMin'], manipulatedMin);
  return {
    generated: generated && writeFigure(numbers, generated, bothOrNull(realMax, fakeMin)),
    changed:
      changed === null ? null : writeFigure(numbers, { value: changed, deviation: null }, limits),
  };
}

function bothOrNull(low?: number, high?: number): readonly [number, number] | null {
  return low === undefined || high === undefined ? null : [low, high];
}

/** Adds digits until the value differs from each limit, because reading "0.21" twice looks like a contradiction. */
function writeFigure(
  numbers: NumberWriter,
  { value, deviation }: { readonly value: number; readonly deviation: number | null },
  limits: readonly [number, number] | null,
): Figure {
  const digits = [2, 3, 4].find((each) =>
    (limits ?? []).every((limit) => limit.toFixed(each) !== value.toFixed(each)),
  );
  const score = (one: number) =>
    digits === undefined || digits === 2 ? numbers.score(one) : numbers.fixed(one, digits);
  return {
    value: score(value),
    deviation: deviation === null ? null : numbers.score(deviation),
    limits: limits && [score(limits[0]), score(limits[1])],
  };
}
