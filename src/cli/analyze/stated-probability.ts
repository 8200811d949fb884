import { createNumberWriter } from '../../report/numbers.ts';
import { basisOfFake } from './basis.ts';
import type { AnalysisRecord } from './record.ts';

export interface StatedProbability {
  /** Of a fake, 0..1. */
  readonly value: number;
  /** Its standard deviation; null where none was measured. */
  readonly deviation: number | null;
}

/**
 * The probability of a fake where it means something: not for an abstention, which lies outside what was validated, and
 * not where the file itself declared what it is. Where a changed part decided, it is the probability of a change. A server
 * tells none.
 */
export function statedProbability(record: AnalysisRecord): StatedProbability | null {
  const { verdict, decision } = record;
  const basis = basisOfFake(record);
  if (decision === null || verdict === 'abstain' || basis === 'declaration') return null;
  const { fakeProbability, fakeUncertainty, changeProbability } = decision;
  if (basis !== 'localisation') return { value: fakeProbability, deviation: fakeUncertainty };
  return changeProbability === null ? null : { value: changeProbability, deviation: null };
}

/** `0.93 ± 0.02`; without a deviation `0.93`, and `above 0.99` for what would be rounded to certainty. */
export function wordProbability({ value, deviation }: StatedProbability): string {
  return deviation === null
    ? createNumberWriter('en').score(value)
    : `${value.toFixed(2)} ± ${deviation.toFixed(2)}`;
}
