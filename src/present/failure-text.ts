/** Why a picture was not examined, in the language of who reads it. What programs read stays as it was thrown. */

import type { Language } from '../contract/vocabulary.ts';
import { failures } from './wording/de/failures.ts';

/** @param message - as a `ForensicsError` has it: in English. */
export function wordFailure(message: string, language: Language): string {
  if (language === 'en') return message;
  for (const [pattern, write] of failures) {
    const found = pattern.exec(message);
    if (found !== null) return write(...found.slice(1));
  }
  return message;
}
