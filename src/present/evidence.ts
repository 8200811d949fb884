/** `result.evidence` of the forensic tier in both languages, rebuilt from the stored examination on every request. */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Assurance,
  type Bilingual,
  type Language,
  type NotCheckedId,
  notCheckedIds,
  type ReasonCode,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';
import { type Finding, strengthOfAssurance, strengthOfRatio } from '../detectors/detector.ts';
import { areaOf } from '../detectors/regions.ts';
import type { Decision, Examined, Manipulation, Stability } from '../detectors/result.ts';
import { writeErrorRate } from './error-rate.ts';
import {
  bestDeclaration,
  type WordedFinding,
  wordFinding,
  wordProvenance,
  wordSkipped,
} from './findings.ts';
import { kept, nameIn, printable } from './text.ts';
import { writePlaces } from './presentation.ts';
import {
  changeRatio,
  hasGeneratorSize,
  isNeverCalled,
  isOfDamage,
  measuredLike,
  placesOf,
  readErrors,
  readFigures,
  readResult,
  toChangesFound,
} from './result.ts';
import { createNumberWriter, inBoth, wordsIn } from './wording/catalogue.ts';
import { pictureSize, traceNetwork } from '../detectors/network-findings.ts';
import { supportedRatio } from '../detectors/likelihood-ratio.ts';

export function writeEvidence(examined: Examined): Evidence {
  const { decision, findings, skipped, stability, provenance, manipulation, facts } = examined;
  const result = readResult(examined);
  const told = inBoth((_words, _numbers, language) => writeErrorRate(result, language));
  return {
    basis: decision.basis,
    byTraces: decision.byTraces ?? null,
    ...measureStrength(examined),
    errorRate: told.en === '' ? null : told,
    changesFound: toChangesFound(readErrors(examined)),
    // Ties stay in the order of the methods.
    findings: findings
      .map((one) => boundedFinding(wordFinding(placed(one, examined)), examined))
      .toSorted((one, other) => rank(other) - rank(one)),
    skipped: skipped.map((one) => wordSkipped(one, facts)),
    reasons: decision.reasons.map((code) => toReason(code, examined)),
    stability: stability === null ? null : wordStability(stability, decision),
    manipulation: manipulation === null ? null : wordChange(manipulation, facts),
    provenance: wordProvenance(provenance),
    // Silence about what was not examined must not be read as an all-clear.
    notChecked: notCheckedIds
      .filter((id) => gaps[id]?.(examined) ?? true)
      .map((id) => ({ id, statement: inBoth(({ limits }) => limits.notChecked[id]) })),
  };
}

/** Names the place that the finding marks, which other methods may mark too; a finding of copied parts has two. */
function placed(finding: Finding, { manipulation, facts }: Examined): Finding {
  const { method, statement } = finding;
  const [place, otherPlace] = placesOf(manipulation)
    .filter(({ methods }) => methods.includes(method))
    .map(({ region }) => areaOf(region, facts).place);
  if (place === undefined || !('code' in statement)) return finding;
  if (!('place' in statement.values) || !('share' in statement.values)) return finding;
  const isPair = 'otherPlace' in statement.values;
  if (isPair && otherPlace === undefined) return finding;
  const values = { ...statement.values, place, ...(isPair && { otherPlace }) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The values belong to the same code.
  return { ...finding, statement: { ...statement, values } as Finding['statement'] };
}

function rank({ strength, speaksFor }: WordedFinding): number {
  return 2 * strengths.indexOf(strength) + (speaksFor === 'neither' ? 0 : 1);
}

function toReason(code: ReasonCode, { decision, facts }: Examined): Evidence['reasons'][number] {
  const limited = facts.soundShare === undefined ? 'small' : 'damaged';
  const isLimited = code === 'manipulation_suspected' && isNeverCalled(decision);
  return {
    code,
    statement: inBoth(({ verdict: { reasons, onlySuspected } }, _numbers, language) =>
      kept([
        isLimited && onlySuspected[limited],
        reasons[code],
        code === 'evidence_below_threshold' && writeNeededRatios(decision, language),
      ]).join(' '),
    ),
    help: inBoth(({ outcome }) => outcome.next[code]),
  };
}

/** The ratios from which the method decides; null for an older examination, which did not record them. */
export function writeNeededRatios(
  { thresholds: { realMax, fakeMin } }: Pick<Decision, 'thresholds'>,
  language: Language,
): string | null {
  if (realMax === undefined || fakeMin === undefined) return null;
  const { plain } = createNumberWriter(language);
  const { needed } = wordsIn(language).verdict;
  return needed(plain(leastRatio(realMax)), plain(leastRatio(fakeMin)));
}

/** The likelihood ratio that corresponds to a limit of P(generated), rounded up because ratios are rounded down. */
function leastRatio(limit: number): number {
  return Math.ceil(toOdds(limit) * 10) / 10;
}

function wordStability({ holds, trials }: Stability, decision: Decision) {
  const counts = { same: 0, open: 0, other: 0 };
  for (const trial of trials) counts[trialOutcome(trial, decision)]++;
  const values = trials.map(({ fakeProbability }) => fakeProbability);
  return {
    holds,
    statement: inBoth(({ findings }, { score }) =>
      findings.stability.summary({
        ...counts,
        low: score(Math.min(...values)),
        high: score(Math.max(...values)),
      }),
    ),
    trials: trials.map((trial) => ({
      ...trial,
      label: inBoth(({ findings }) => findings.stability.changes[trial.change]),
    })),
  };
}

/** A value just past the middle shows doubt, not a contradiction, so it does not count as flipped. */
export function trialOutcome(
  { fakeProbability, isFlip }: Pick<Stability['trials'][number], 'fakeProbability' | 'isFlip'>,
  decision: Decision,
) {
  if (isFlip) return 'other';
  const { realMax = 0.5, fakeMin = 0.5 } = decision.thresholds;
  const isFake = decision.fakeProbability >= 0.5;
  const isSame = isFake ? fakeProbability >= fakeMin : fakeProbability <= realMax;
  return isSame ? 'same' : 'open';
}

function wordChange(manipulation: Manipulation, facts: Examined['facts']) {
  const areas = placesOf(manipulation).map(({ region }) => areaOf(region, facts));
  const [only] = areas;
  const statement = inBoth((words, { score }) => {
    const { marked, markedSeveral, unmarked } = words.findings.changedPart;
    const p = score(manipulation.probability);
    if (only === undefined) return unmarked(p);
    if (areas.length > 1) return markedSeveral(writePlaces(areas, words), p);
    return marked(words.findings.writeShare(only.share), words.findings.places[only.place], p);
  });
  return {
    ...manipulation,
    statement,
    ...(isOfDamage({ manipulation, facts }) && { isOfDamage: true }),
  };
}

/** When each question was left unexamined; those not listed here always are. */
const gaps: Readonly<Partial<Record<NotCheckedId, (examined: Examined) => boolean>>> = {
  local_edits: ({ manipulation }) => manipulation === null,
  small_edits: ({ manipulation }) => manipulation !== null,
  // Compression erased the traces of the whole picture and no method found anything else.
  erased_edits: ({ manipulation, decision: { byTraces, reasons, resultClass } }) =>
    manipulation !== null &&
    resultClass !== 'fake' &&
    (byTraces?.reasons ?? reasons).some((reason) => lostTraces.includes(reason)),
  metadata_claims: ({ facts: { metadata } }) =>
    [metadata.cameraMake, metadata.cameraModel, metadata.takenAt].some((it) => it !== null) ||
    metadata.hasGps,
  remote_credentials: ({ provenance }) => provenance.credentials === null,
  signer_trust: (examined) =>
    hasSigner(examined) && examined.provenance.credentials?.trust === 'not-checked',
  signer_revocation: hasSigner,
  stability: ({ decision, stability }) =>
    stability === null &&
    decision.basis === 'traces' &&
    (decision.resultClass === 'real' || decision.resultClass === 'fake'),
};

function hasSigner({ provenance: { credentials } }: Examined): boolean {
  return credentials !== null && credentials.integrity !== 'unreadable';
}

const lostTraces: readonly ReasonCode[] = ['too_compressed', 'no_usable_trace'];

// The strength of the evidence, independent of the decision: one likelihood ratio for *generated or recorded* and one
// for *changed in part or not*, each limited to what tests support; for a declaration, how far it can be trusted.

type Cap = NonNullable<Evidence['cap']>;
export type Weighed = NonNullable<Evidence['weighed']>[number];

function measureStrength(examined: Examined) {
  const { decision, provenance } = examined;
  const { resultClass, basis } = decision;
  const traced = weighTraces(examined);
  const changed = weighChange(examined);
  const isAboutPart =
    basis === 'localisation' || decision.reasons.includes('manipulation_suspected');
  const both = isAboutPart ? [changed, traced?.weighed] : [traced?.weighed, changed];
  const weighed = both.filter((one) => one != null);
  const nothing = { strength: 'none', ratio: null, cap: null, weighed } as const;
  if (basis === 'declaration' && resultClass === 'fake') {
    // The error rate of a declaration cannot be measured: it depends on how often declarations are forged.
    const best = bestDeclaration(provenance)?.assurance ?? 'unsigned';
    const strength = strengthOfAssurance[best];
    return { ...nothing, strength, statement: wordDeclared(best, strength) };
  }
  if (basis === 'localisation' && resultClass === 'fake') {
    if (changed === null) return { ...nothing, ...ofStrongestMethod(examined) };
    const { strength, ratio } = changed;
    return { ...nothing, strength, ratio, statement: joined(weighed) };
  }
  if (traced === null) return { ...nothing, statement: inBoth((words) => words.strength.outside) };
  const isContradicted = decision.reasons.includes('declaration_contradicts_traces');
  const best = isContradicted ? bestDeclaration(provenance)?.assurance : undefined;
  const declared = best === undefined ? [] : [wordDeclared(best, strengthOfAssurance[best])];
  const statement = joined([...declared.map((one) => ({ statement: one })), ...weighed]);
  if (resultClass !== 'real' && resultClass !== 'fake') return { ...nothing, statement };
  const { strength, ratio } = traced.weighed;
  return { ...nothing, strength, ratio, statement, cap: traced.cap };
}

function joined(weighed: readonly Pick<Weighed, 'statement'>[]): Bilingual {
  return inBoth((_words, _numbers, language) =>
    weighed.map(({ statement }) => statement[language]).join(' '),
  );
}

function wordDeclared(assurance: Assurance, strength: Exclude<Strength, 'none'>): Bilingual {
  return inBoth(({ strength: { declared, adverbs } }) => declared[assurance](adverbs[strength]));
}

/** For models without measured ratios for changes: the strength of the strongest method that indicates one. */
function ofStrongestMethod({ findings, manipulation }: Examined) {
  const supporting = findings.filter(({ method }) => manipulation?.methods.includes(method));
  const steps = supporting.map(({ strength }) => strengths.indexOf(strength));
  const strength = strengths[Math.max(0, ...steps)]!;
  const statement = inBoth(({ strength: { changed, adverbs, sides } }) =>
    strength === 'none'
      ? changed.none(sides.changed)
      : changed.stated(adverbs[strength], sides.changed),
  );
  return { strength, statement };
}

/** Strength for *generated or recorded*, from the traces of the whole picture; null if they mean nothing here. */
function weighTraces(examined: Examined): { weighed: Weighed; cap: Cap } | null {
  const { generated } = readFigures(examined);
  if (generated === null) return null;
  const side = generated.value < 0.5 ? 'real' : 'fake';
  const withSize = hasGeneratorSize(examined.findings);
  const bound = boundOfTraces(examined, side);
  const { ratio, strength } = stateRatio(toOdds(generated.value), bound.ratio);
  const statement = inBoth(({ strength: { traced: words, adverbs, bound: held } }, { plain }) => {
    const subject = words.subject(withSize);
    if (ratio === null) return words.unsupported(subject, side);
    if (strength === 'none') return words.neither(subject, side, plain(ratio));
    const capped = ratio === bound.ratio ? held : '';
    return words.stated(subject, adverbs[strength], side, plain(ratio), capped);
  });
  return { weighed: { question: 'generated', side, ratio, strength, statement }, cap: bound.cap };
}

/** Strength for *changed in part or not*, from all methods; null if not measured or without a validated meaning. */
function weighChange(examined: Examined): Weighed | null {
  const odds = changeRatio(examined);
  const ratios = measuredLike(examined.measuredCalls, examined.facts)?.ratios;
  if (odds === null || ratios === undefined) return null;
  const isFor = odds >= 1;
  const most = roundedDown(isFor ? ratios.upper : 1 / ratios.lower);
  const { ratio, strength } = stateRatio(isFor ? odds : 1 / odds, most);
  const statement = inBoth(({ strength: { parts, adverbs, bound } }, { plain }) => {
    const written = plain(ratio ?? 1);
    if (strength === 'none') return parts.neither(isFor ? 'changed' : 'unchanged', written);
    const capped = ratio === most ? bound : '';
    return parts[isFor ? 'for' : 'against'](adverbs[strength], written, capped);
  });
  return { question: 'changed', side: isFor ? 'fake' : 'real', ratio, strength, statement };
}

/** The only place where ratios are rounded. @param most - highest supported ratio; null if no ratio can be stated. */
function stateRatio(odds: number, most: number | null) {
  const traced = roundedDown(Math.min(highestRatio, odds));
  const ratio = most === null ? null : Math.min(traced, most);
  return { ratio, strength: strengthOfRatio(ratio ?? 1) };
}

interface Bound {
  /** Null if nothing can be stated. */
  readonly ratio: number | null;
  readonly cap: Cap;
}

/** The measured condition that supports the lowest ratio applies, because a picture's history is unknown. */
function boundOfTraces(examined: Examined, side: 'real' | 'fake'): Bound {
  const held = examined.measured.flatMap(({ condition, ratios }) =>
    ratios === undefined
      ? []
      : [{ condition, ratios, most: side === 'fake' ? ratios.upper : 1 / ratios.lower }],
  );
  const [least] = held.toSorted((one, other) => one.most - other.most);
  if (least === undefined) return boundOfCalls(examined, side);
  const { condition, ratios } = least;
  const ratio = roundedDown(least.most);
  const [own, other] =
    side === 'fake' ? [ratios.supporting, ratios.opposing] : [ratios.opposing, ratios.supporting];
  const statement = inBoth(({ labels, strength }, { count, plain }) => {
    const figures = {
      own: count(own),
      other: count(other),
      condition: nameIn(labels.validation.conditions, condition, printable(condition)),
      ratio: plain(ratio),
    };
    return strength.cap.held(figures, strength.cap.sides[side]);
  });
  return { ratio, cap: { ratio, strategy: null, condition, statement } };
}

/** For models whose ratios were not measured: the ratio that the error rates of their verdicts support. */
function boundOfCalls({ measured, options }: Examined, side: 'real' | 'fake'): Bound {
  const supported = supportedRatio(measured, options.decisionStrategy, side);
  if (supported === null) {
    const why = measured.length > 0 ? 'halfMeasured' : 'unmeasured';
    const statement = inBoth((words) => words.strength[why]);
    return { ratio: null, cap: { ratio: 1, strategy: null, condition: null, statement } };
  }
  const { strategy, condition, right, rightOf, wrong, wrongOf, wrongAtMost } = supported;
  const ratio = roundedDown(supported.ratio);
  // The figures may have been measured under a looser strategy than the one that decided.
  const isLooser = strategy !== options.decisionStrategy;
  const statement = inBoth(({ labels, strength }, { count, rate, plain }) => {
    const { of, looser, used, write, sides } = strength.cap;
    const figures = {
      right: `${count(right)} ${of} ${count(rightOf)}`,
      wrong: `${count(wrong)} ${of} ${count(wrongOf)}`,
      strategy: isLooser ? looser(strategy) : used(strategy),
      condition: nameIn(labels.validation.conditions, condition, printable(condition)),
      bound: rate(wrongAtMost),
      ratio: plain(ratio),
    };
    return write(figures, sides[side]);
  });
  return { ratio, cap: { ratio, strategy, condition, statement } };
}

/** Limits the trace network's strength by its error rates; outside the validated range it means nothing. */
function boundedFinding(finding: WordedFinding, examined: Examined): WordedFinding {
  const { method, speaksFor, score } = finding;
  const { decision, provenance } = examined;
  const isMark = provenance.declarations.some(({ assurance }) => assurance === 'watermark');
  // Earlier versions rated an unsigned entry as highly as a signed one.
  if (method === 'declared-origin' && speaksFor === 'fake' && !isMark)
    return { ...finding, strength: strengthOfAssurance.unsigned };
  const { resultClass } = decision.byTraces ?? decision;
  if (method === pictureSize.method && resultClass === 'abstain') return { ...finding, ...silent };
  if (method !== traceNetwork.method || speaksFor === 'neither') return finding;
  if (resultClass === 'abstain') {
    const statement = inBoth((words) => words.strength.untested);
    return { ...finding, ...silent, statement };
  }
  const { strength } = stateRatio(toOdds(score), boundOfTraces(examined, speaksFor).ratio);
  return { ...finding, ...(strength === 'none' ? silent : { strength }) };
}

const silent = { speaksFor: 'neither', strength: 'none' } as const;

/** Beyond this the calibration is not reliable: it was fitted on a few hundred pictures. */
const highestRatio = 1e6;

/** The odds that a calibrated probability gives its own side: the likelihood ratio at even prior odds. */
function toOdds(fakeProbability: number): number {
  const likelier = Math.max(fakeProbability, 1 - fakeProbability);
  return likelier / (1 - likelier);
}

/** Rounds down to two significant digits, because a ratio is a claim about strength. */
function roundedDown(ratio: number): number {
  const step = 10 ** (Math.floor(Math.log10(ratio)) - 1);
  return Number((Math.floor(ratio / step + 1e-9) * step).toPrecision(2));
}
