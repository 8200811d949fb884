/**
 * `result.evidence` of the forensic tier: what was found, ranked, in words of both report languages; what speaks against
 * it; and what was not looked at. Rebuilt from the stored examination on every request.
 */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Bilingual,
  type ReasonCode,
  type StabilityChange,
  strengths,
} from '../contract/vocabulary.ts';
import { areaOf } from '../detectors/regions.ts';
import type {
  Decision,
  Examined,
  Manipulation,
  Stability,
  WordedFinding,
} from '../engine/result.ts';
import { errorRateIn } from './error-rate.ts';
import { listNotChecked } from './not-checked.ts';
import { createNumberWriter } from './numbers.ts';
import { inBoth } from './report-item.ts';
import { boundedFinding, measureStrength } from './strength.ts';
import { wordsIn } from './wording/catalogue.ts';

export type RankedFinding = Evidence['findings'][number];

export function writeEvidence(examined: Examined): Evidence {
  const { decision, findings, skipped, stability, provenance, manipulation, facts } = examined;
  return {
    basis: decision.basis,
    byTraces: decision.byTraces ?? null,
    ...measureStrength(examined),
    errorRate: wordErrorRate(examined),
    findings: ranked(findings.map((finding) => toRanked(boundedFinding(finding, examined)))),
    skipped,
    reasons: decision.reasons.map(toReason),
    stability: stability === null ? null : wordStability(stability),
    manipulation: manipulation === null ? null : wordChange(manipulation, facts),
    provenance,
    notChecked: listNotChecked(examined),
  };
}

function wordErrorRate(examined: Examined): Bilingual | null {
  if (errorRateIn(examined, 'en') === null) return null;
  return inBoth((language) => errorRateIn(examined, language) ?? '');
}

/** Fields by name: of what a stored finding may hold beside them nothing is passed on, and no number that JSON cannot hold. */
function toRanked(finding: WordedFinding): RankedFinding {
  const { method, speaksFor, strength, score, statement, measures, source } = finding;
  const finite = Object.entries(measures).filter(([, value]) => Number.isFinite(value));
  return {
    method,
    speaksFor,
    strength,
    score,
    statement,
    measures: Object.fromEntries(finite),
    source,
  };
}

/** Equals stay in the order of the methods. */
function ranked(findings: readonly RankedFinding[]): readonly RankedFinding[] {
  const rank = ({ strength, speaksFor }: RankedFinding) =>
    2 * strengths.indexOf(strength) + (speaksFor === 'neither' ? 0 : 1);
  return findings.toSorted((one, other) => rank(other) - rank(one));
}

function toReason(code: ReasonCode): Evidence['reasons'][number] {
  return {
    code,
    statement: inBoth((language) => wordsIn(language).verdict.reasons[code].what),
    help: inBoth((language) => asSentence(wordsIn(language).verdict.reasons[code].help)),
  };
}

/** What would help is a noun phrase, made to follow "Helpful:"; here it stands alone. */
function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** A value just beyond the middle is doubt and no contradiction: it does not count as a flip. */
function wordStability({ holds, trials }: Stability): NonNullable<Evidence['stability']> {
  const flips = trials.filter(({ isFlip }) => isFlip).length;
  return {
    holds,
    statement: inBoth((language) =>
      wordsIn(language).strength.stability.summary(flips, trials.length),
    ),
    trials: trials.map((trial) => ({ ...trial, label: wordTrial(trial.change) })),
  };
}

function wordTrial(change: StabilityChange): Bilingual {
  return inBoth((language) => wordsIn(language).strength.stability.changes[change]);
}

/** The combined result of the methods that look for changed parts. */
function wordChange(
  manipulation: Manipulation,
  size: Examined['facts'],
): NonNullable<Evidence['manipulation']> {
  const { region, probability } = manipulation;
  const statement = inBoth((language) => {
    const { findings, strength } = wordsIn(language);
    const { marked, unmarked } = strength.changedPart;
    const p = createNumberWriter(language).score(probability);
    if (region === null) return unmarked(p);
    const { share, place } = areaOf(region, size);
    return marked(findings.writeShare(share), findings.places[place], p);
  });
  return { ...manipulation, statement };
}

/** Whether the result names a part that was changed. */
export function namesChange({ resultSubClasses, basis }: Decision): boolean {
  return basis !== 'declaration' && resultSubClasses.some((kind) => kind !== 'ai-generated');
}

/** Whether signs of a change prevent the picture from being called real. */
export function suspectsChange({ reasons }: Pick<Decision, 'reasons'>): boolean {
  return reasons.includes('manipulation_suspected');
}
