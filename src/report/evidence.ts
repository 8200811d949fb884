/** `result.evidence` of the forensic tier: what was found, ranked, in words of both report languages. */

import type { Side, Skipped, Strength } from '../detectors/finding.ts';
import type { DecisionBasis, Examination, ReasonCode, Stability } from '../engine/result.ts';
import type { Provenance } from '../provenance/provenance.ts';

export interface Bilingual {
  readonly en: string;
  readonly de: string;
}

export interface RankedFinding {
  readonly method: string;
  readonly speaksFor: Side;
  readonly strength: Strength;
  readonly score: number;
  readonly statement: Bilingual;
  readonly measures: Readonly<Record<string, number>>;
  readonly source: string;
}

export interface Evidence {
  readonly basis: DecisionBasis;
  /** How strongly everything together speaks for the class; `none` when nothing was decided. */
  readonly strength: Strength;
  /** What caps the strength: the likelihood ratio that the validation set can support, with its sentence. Null when there is no cap. */
  readonly cap: { readonly ratio: number; readonly statement: Bilingual } | null;
  /** Strongest first; of equals those that speak for a side before those that speak for neither. */
  readonly findings: readonly RankedFinding[];
  readonly skipped: readonly Skipped[];
  /** Why nothing was decided, and what would help. */
  readonly reasons: readonly {
    readonly code: ReasonCode;
    readonly statement: Bilingual;
    readonly help: Bilingual;
  }[];
  readonly stability: Stability | null;
  readonly provenance: Provenance;
  /** What this examination could not look at, whatever it found. */
  readonly notChecked: readonly { readonly id: string; readonly statement: Bilingual }[];
}

export type WriteEvidence = (examination: Examination) => Evidence;
