/** What a verdict of "fake" rests on. */

import type { DecisionBasis } from '../../engine/result.ts';
import type { AnalysisRecord } from './record.ts';

/** Null for every other verdict, and where a server does not tell. */
export function basisOfFake({ verdict, decision, evidence }: AnalysisRecord): DecisionBasis | null {
  if (verdict !== 'fake') return null;
  return (decision ?? evidence)?.basis ?? null;
}
