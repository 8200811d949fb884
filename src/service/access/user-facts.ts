/** The fields of an account: which addresses, names, user types and scopes are valid, and their normal form. */

import { eq } from 'drizzle-orm';
import { type Actor, type EventDetails, serviceChain } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { UserSettings } from '../../contract/auth.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { maxNameLength } from '../../contract/limits.ts';
import { langPattern } from '../../contract/vocabulary.ts';
import { characterCount, type Db, foldText, transact, type Tx } from '../../ports/db/database.ts';
import { users } from '../../ports/db/schema.ts';
import { type ForensicsError, invalidRequest, notFound } from '../../contract/errors.ts';

export interface UserFacts {
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
}

/** The fields as stored. @throws {ForensicsError} `invalid_request`. */
export function checkedFacts({ name, userType, scopes }: UserFacts) {
  return {
    name: checkedName(name),
    nameFolded: foldText(name ?? ''),
    userType: checkedWord(userType, 'user type'),
    scopes: [...new Set(scopes.map((scope) => checkedWord(scope, 'scope')))],
  };
}

/** The address as stored and compared. @throws {ForensicsError} `invalid_request`. */
export function checkedEmail(typed: string): string {
  const email = normalisedEmail(typed);
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= 254) return email;
  throw invalidRequest('This is not an email address.');
}

/** The form in which addresses are compared, even those that no account could have. */
export function normalisedEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

function checkedName(name: string | null): string | null {
  if (name === null) return null;
  const length = characterCount(name);
  if (length >= 1 && length <= maxNameLength && !/\p{Cc}/u.test(name)) return name;
  throw invalidRequest(
    `A name must have 1 to ${maxNameLength} characters and no control characters.`,
  );
}

/** RFC 6749, appendix A.4: the characters of a scope; a user type must follow the same rule. */
export function isWord(word: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(word);
}

function checkedWord(word: string, what: string): string {
  if (isWord(word)) return word;
  throw invalidRequest(
    `A ${what} must be a word of 1 to 64 ASCII characters without spaces or quotes.`,
  );
}

export interface UserAct {
  readonly userId: string;
  readonly at: Date;
  readonly by: Actor;
}

/** Logs an event of a person, in the chains of the service and of the tenants that the person may act for. */
export async function auditUser<E extends Extract<keyof EventDetails, `user.${string}`>>(
  tx: Tx,
  { userId, at, by }: UserAct,
  { event, details }: { readonly event: E; readonly details: EventDetails[E] },
  tenantIds: readonly string[] = [],
): Promise<void> {
  for (const chain of [serviceChain, ...tenantIds]) {
    await append(tx, { chain, at, actor: by, event, subject: userId, details });
  }
}

/** Logs an entry in the chain of each tenant that was added or removed. */
export async function auditTenants(
  tx: Tx,
  { userId, at, by }: UserAct,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  const tell = (chain: string, event: 'tenant.member_added' | 'tenant.member_removed') =>
    append(tx, { chain, at, actor: by, event, subject: userId, details: {} });
  for (const id of after) if (!before.includes(id)) await tell(id, 'tenant.member_added');
  for (const id of before) if (!after.includes(id)) await tell(id, 'tenant.member_removed');
}

/** Settings that people choose for themselves, both with embedded accounts and with an identity provider. */
export function createUserSettings({ db }: { readonly db: Db }) {
  const columns = { lang: users.lang, tosAccepted: users.tosAccepted };
  return {
    /** @throws {ForensicsError} `not_found`. */
    async read(userId: string) {
      const found = await db.select(columns).from(users).where(eq(users.id, userId)).get();
      if (found === undefined) throw noSuchUser();
      return found;
    },
    /** Changes only the given settings. @throws {ForensicsError} `invalid_request` for an unusable language, `not_found`. */
    async change(userId: string, { lang, tosAccepted }: Partial<UserSettings>) {
      if (lang !== undefined && !new RegExp(langPattern).test(lang)) {
        throw invalidRequest(
          'lang must be a language code such as "de", with an optional region such as "de-AT".',
        );
      }
      return transact(db, async (tx) => {
        const found = await tx.select(columns).from(users).where(eq(users.id, userId)).get();
        if (found === undefined) throw noSuchUser();
        const changed = { ...found, ...withoutUndefined({ lang, tosAccepted }) };
        await tx.update(users).set(changed).where(eq(users.id, userId)).run();
        return changed;
      });
    },
  };
}

export function noSuchUser(): ForensicsError {
  return notFound('User not found.');
}
