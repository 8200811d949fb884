/** What an account may say of a person: which addresses, names, user types and scopes are taken, and in which form. */

import { characterCount, foldText } from '../db/text.ts';
import { ForensicsError } from '../errors.ts';
import { maxNameLength } from '../contract/limits.ts';

export interface UserFacts {
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
}

/** As they are kept. @throws {ForensicsError} `invalid_request`. */
export function checkedFacts({ name, userType, scopes }: UserFacts) {
  return {
    name: checkedName(name),
    nameFolded: foldText(name ?? ''),
    userType: checkedWord(userType, 'user type'),
    scopes: [...new Set(scopes.map((scope) => checkedWord(scope, 'scope')))],
  };
}

/** As it is kept and compared. @throws {ForensicsError} `invalid_request`. */
export function checkedEmail(typed: string): string {
  const email = normalisedEmail(typed);
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= 254) return email;
  throw invalid('This is no e-mail address.');
}

/** The form in which addresses are compared, also those that no account could have. */
export function normalisedEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

function checkedName(name: string | null): string | null {
  if (name === null) return null;
  const length = characterCount(name);
  if (length >= 1 && length <= maxNameLength && !/\p{Cc}/u.test(name)) return name;
  throw invalid(`A name has 1 to ${maxNameLength} characters, and no control characters.`);
}

// RFC 6749, appendix A.4: what a scope may be made of; a user type is held to the same.
function checkedWord(word: string, what: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(word)) return word;
  throw invalid(`A ${what} is a word of 1 to 64 ASCII characters, without spaces and quotes.`);
}

function invalid(message: string): ForensicsError {
  return new ForensicsError('invalid_request', message);
}
