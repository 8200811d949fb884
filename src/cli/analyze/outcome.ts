/** What a record amounts to for a person: which result, with which figures, for which reason. */

import type { DecisionBasis, Language, ReasonCode } from '../../contract/vocabulary.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import type { Style } from '../output/terminal.ts';
import type { AnalysisRecord } from './record.ts';

export type Outcome = 'real' | 'fake' | 'changed' | 'declared' | 'uncertain' | 'abstain';

/** A fake by what decided it; null while there is no verdict. */
export function outcomeOf(record: AnalysisRecord): Outcome | null {
  const basis = basisOfFake(record);
  if (basis === 'declaration') return 'declared';
  return basis === 'localisation' ? 'changed' : record.verdict;
}

/** Null for every other verdict, and where a server does not send it. */
function basisOfFake({ verdict, decision, evidence }: AnalysisRecord): DecisionBasis | null {
  if (verdict !== 'fake') return null;
  return (decision ?? evidence)?.basis ?? null;
}

export const outcomeStyles: Readonly<Record<Outcome, Style>> = {
  real: ['bold', 'green'],
  fake: ['bold', 'red'],
  changed: ['bold', 'red'],
  declared: ['bold', 'red'],
  uncertain: ['bold', 'yellow'],
  abstain: ['bold', 'cyan'],
};

/** The one to name where there is room for one: a suspected change before what is merely missing. */
export function mainReason({ reasons }: AnalysisRecord): ReasonCode | null {
  return reasons.find((reason) => reason === 'manipulation_suspected') ?? reasons[0] ?? null;
}

export interface Stated {
  /** 0..1. */
  readonly value: number;
  /** Its standard deviation; null where none was measured. */
  readonly deviation: number | null;
}

/**
 * The probability that the whole picture was generated, where it means something: not for an abstention, which lies
 * outside what was validated, and not where the file itself declared what it is. A server tells none.
 */
export function statedGeneration(record: AnalysisRecord): Stated | null {
  const { decision } = record;
  if (decision === null || !statesFigures(record)) return null;
  return { value: decision.fakeProbability, deviation: decision.fakeUncertainty };
}

/** The probability that a part was changed, likewise. */
export function statedChange(record: AnalysisRecord): Stated | null {
  const { decision, evidence } = record;
  const value = decision?.changeProbability ?? evidence?.manipulation?.probability ?? null;
  return value === null || !statesFigures(record) ? null : { value, deviation: null };
}

function statesFigures(record: AnalysisRecord): boolean {
  const outcome = outcomeOf(record);
  return outcome !== null && outcome !== 'abstain' && outcome !== 'declared';
}

/** `0.93 ± 0.02`; without a deviation `0.93`, and `above 0.99` for what would be rounded to certainty. */
export function wordProbability({ value, deviation }: Stated, language: Language): string {
  const { score, fixed } = createNumberWriter(language);
  return deviation === null ? score(value) : `${fixed(value, 2)} ± ${fixed(deviation, 2)}`;
}
