import { isDeclared } from './card.ts';
import type { AnalysisRecord } from './record.ts';

/**
 * The probability of a fake where it means something: not for an abstention, which lies outside what was validated, and
 * not where the file itself declared what it is. A server tells none.
 */
export function statedProbability(record: AnalysisRecord): AnalysisRecord['decision'] {
  return record.verdict === 'abstain' || isDeclared(record) ? null : record.decision;
}
