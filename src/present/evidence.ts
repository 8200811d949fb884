/**
 * `result.evidence` of the forensic tier: the findings, ranked and worded in both report languages; what contradicts
 * them; and what was not examined. Rebuilt from the stored examination on every request.
 */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Language,
  type NotCheckedId,
  notCheckedIds,
  type ReasonCode,
  strengths,
} from '../contract/vocabulary.ts';
import type { Finding } from '../detectors/detector.ts';
import { areaOf } from '../detectors/regions.ts';
import type { Decision, Examined, Manipulation, Stability } from '../engine/result.ts';
import { writeErrorRate } from './error-rate.ts';
import { type WordedFinding, wordFinding, wordProvenance, wordSkipped } from './findings.ts';
import { kept } from './text.ts';
import { writePlaces } from './presentation.ts';
import {
  isNeverCalled,
  isOfDamage,
  placesOf,
  readErrors,
  readResult,
  toChangesFound,
} from './result.ts';
import { boundedFinding, measureStrength, toOdds } from './strength.ts';
import { createNumberWriter, inBoth, wordsIn } from './wording/catalogue.ts';

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
    statement: inBoth(({ strength }, { score }) =>
      strength.stability.summary({
        ...counts,
        low: score(Math.min(...values)),
        high: score(Math.max(...values)),
      }),
    ),
    trials: trials.map((trial) => ({
      ...trial,
      label: inBoth(({ strength }) => strength.stability.changes[trial.change]),
    })),
  };
}

/**
 * Whether the verdict stays the same after this change, becomes open or flips. A value just past
 * the middle shows doubt, not a contradiction, so it does not count as flipped.
 */
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
    const { marked, markedSeveral, unmarked } = words.strength.changedPart;
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

/** Whether something was not examined; what is missing here never is. */
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
