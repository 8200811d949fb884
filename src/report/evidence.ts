/**
 * `result.evidence` of the forensic tier: what was found, ranked, in words of both report languages; what speaks against
 * it; and what was not looked at. Made anew from the stored examination whenever it is asked for.
 */

import { type Finding, type Skipped } from '../detectors/finding.ts';
import type { Decision, Examined } from '../engine/result.ts';
import type { Provenance } from '../provenance/provenance.ts';
import { type Bilingual, inBoth } from './bilingual.ts';
import { type ChangeStatement, writeChange } from './change-words.ts';
import { listNotChecked, type NotChecked } from './not-checked.ts';
import { phrasesOf } from './phrase-book.ts';
import { type StabilityEvidence, writeStability } from './stability-words.ts';
import { boundedFinding, type Cap, measureStrength } from './strength.ts';
import {
  type DecisionBasis,
  type ReasonCode,
  type Side,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';

export type { Bilingual } from './bilingual.ts';

export interface RankedFinding {
  readonly method: string;
  readonly speaksFor: Side;
  /** No stronger than the method's measured error rates bear out, where there are such. */
  readonly strength: Strength;
  readonly score: number;
  readonly statement: Bilingual;
  readonly measures: Readonly<Record<string, number>>;
  readonly source: string;
}

export interface Evidence {
  readonly basis: DecisionBasis;
  /** What the traces of the whole picture alone would have led to, where the decision rests on something else; else null. */
  readonly byTraces: NonNullable<Decision['byTraces']> | null;
  /** How strongly what the decision rests on speaks for the class; `none` when nothing was decided. */
  readonly strength: Strength;
  /**
   * Likelihood ratio behind `strength`, 1 or more; null when none can be stated: undecided, declared, changed in part, never
   * measured.
   */
  readonly ratio: number | null;
  /** How strong, and why no stronger. */
  readonly statement: Bilingual;
  /** What the validation set supports at most. Null when nothing was decided, or not by the traces of the whole picture. */
  readonly cap: Cap | null;
  /** Strongest first; of equals those that speak for a side before those that speak for neither. */
  readonly findings: readonly RankedFinding[];
  readonly skipped: readonly Skipped[];
  /** Why nothing was decided, and what would help. */
  readonly reasons: readonly {
    readonly code: ReasonCode;
    readonly statement: Bilingual;
    readonly help: Bilingual;
  }[];
  readonly stability: StabilityEvidence | null;
  /** What the methods that look for changed parts say together; null for an examination of an earlier version. */
  readonly manipulation: ChangeStatement | null;
  readonly provenance: Provenance;
  /** What this examination could not look at, whatever it found. */
  readonly notChecked: readonly NotChecked[];
}

export function writeEvidence(examined: Examined): Evidence {
  const { decision, findings, skipped, stability, provenance, manipulation, facts } = examined;
  return {
    basis: decision.basis,
    byTraces: decision.byTraces ?? null,
    ...measureStrength(examined),
    findings: ranked(findings.map((finding) => toRanked(boundedFinding(finding, examined)))),
    skipped,
    reasons: decision.reasons.map(toReason),
    stability: stability === null ? null : writeStability(stability),
    manipulation: manipulation === null ? null : writeChange(manipulation, facts),
    provenance,
    notChecked: listNotChecked(examined),
  };
}

/** Fields by name: of what a stored finding may hold beside them nothing is passed on, and no number that JSON cannot hold. */
function toRanked(finding: Finding): RankedFinding {
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
    statement: inBoth((language) => phrasesOf(language).reasons[code].what),
    help: inBoth((language) => asSentence(phrasesOf(language).reasons[code].help)),
  };
}

/** What would help is a noun phrase, made to follow "Helpful:"; here it stands alone. */
function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
