/** What a verdict of "fake" rests on. */

import type { AnalysisRecord } from './record.ts';
import type { DecisionBasis } from '../../contract/vocabulary.ts';

/** Null for every other verdict, and where a server does not tell. */
export function basisOfFake({ verdict, decision, evidence }: AnalysisRecord): DecisionBasis | null {
  if (verdict !== 'fake') return null;
  return (decision ?? evidence)?.basis ?? null;
}
