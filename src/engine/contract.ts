/** The numeric fields of the contract's `analysis.inferenceStatus.result`. */

import {
  type Anomaly,
  type ClassScores,
  type ClassSimilarities,
  type Examination,
} from './result.ts';
import { resultClasses, resultSubClasses, type Tier } from '../contract/vocabulary.ts';

export interface ResultFields {
  /** 0 real, 1 fake, 2 abstain, 3 uncertain. */
  readonly resultClass: number;
  /** 0 ai-generated, 1 ai-manipulated, 2 manipulated. */
  readonly resultSubClasses: readonly number[];
  readonly predictions: ClassScores | null;
  readonly classUncertainties: ClassScores | null;
  readonly classSimilarities: ClassSimilarities | null;
  readonly anomaly: Anomaly | null;
}

/** With `flagging` everything but the classes is null; `forensicReporting` fills every field. */
export function toResultFields(examination: Examination, tier: Tier): ResultFields {
  const { decision } = examination;
  const isFull = tier === 'forensicReporting';
  return {
    resultClass: resultClasses.indexOf(decision.resultClass),
    resultSubClasses: decision.resultSubClasses.map((name) => resultSubClasses.indexOf(name)),
    predictions: isFull ? examination.predictions : null,
    classUncertainties: isFull ? examination.classUncertainties : null,
    classSimilarities: isFull ? examination.classSimilarities : null,
    anomaly: isFull ? examination.anomaly : null,
  };
}
