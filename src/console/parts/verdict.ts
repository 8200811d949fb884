/** The verdict of a result or the reason of a failure, in the same words as on the terminal and in reports. */

import type { Analysis } from '../../contract/analysis.ts';
import { type Language, resultClasses } from '../../contract/vocabulary.ts';
import { writeFailure } from '../../present/failures.ts';
import { present, type Presentation } from '../../present/presentation.ts';
import { readAnswer } from '../../present/result.ts';

/** Null while there is no result. */
export function writeVerdict(
  { inferenceStatus: { result, status } }: Pick<Analysis, 'inferenceStatus'>,
  language: Language,
): Presentation | null {
  const verdict = result === undefined ? undefined : resultClasses[result.resultClass];
  if (status !== 'completed' || verdict === undefined) return null;
  // The client may have declared the size before EXIF rotation, but regions refer to the rotated picture.
  const { evidence = null, resultSubClasses = [] } = result ?? {};
  return present(readAnswer(verdict, evidence, [], resultSubClasses), language);
}

/** Why the analysis failed; empty if it did not fail. */
export function writeReason(
  { inferenceStatus: { status, statusMessage: message, failure } }: Analysis,
  language: Language,
): string {
  return status === 'failed' ? writeFailure({ message, reason: failure ?? null }, language) : '';
}
