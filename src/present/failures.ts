/** Why a picture was not examined, in the reader's language. Output for programs keeps the message as it was thrown. */

import { isKeyOf, type Language } from '../contract/vocabulary.ts';
import type { FailureReason } from '../errors.ts';
import { failures } from './wording/de/failures.ts';

export interface Failure {
  /** English. */
  readonly message: string;
  /** Missing if a server or an earlier version provided only the message, which is then shown. */
  readonly reason?: FailureReason | null;
}

export function writeFailure({ message, reason }: Failure, language: Language): string {
  if (language === 'en' || !reason || !isKeyOf(failures, reason.code)) return message;
  const write: (values: never) => string = failures[reason.code];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `failure` pairs each code with its values.
  return write(reason.values as never);
}
