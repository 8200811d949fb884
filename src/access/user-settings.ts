/** What a person chose for himself, whichever identity knows him. */

import { eq } from 'drizzle-orm';
import { type Db, transact } from '../db/open.ts';
import { users } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { type UserSettings } from './identity.ts';
import { langPattern } from '../contract/vocabulary.ts';

export type UserSettingsChange = Partial<UserSettings>;

export interface UserSettingsStore {
  /** @throws {ForensicsError} `not_found`. */
  read(userId: string): Promise<UserSettings>;
  /** Changes only what is given. @throws {ForensicsError} `invalid_request` for an unusable language, `not_found`. */
  change(userId: string, change: UserSettingsChange): Promise<UserSettings>;
}

export function createUserSettings({ db }: { readonly db: Db }): UserSettingsStore {
  const columns = { lang: users.lang, tosAccepted: users.tosAccepted };
  return {
    async read(userId) {
      const found = db.select(columns).from(users).where(eq(users.id, userId)).get();
      if (found === undefined) throw unknown();
      return found;
    },
    async change(userId, { lang, tosAccepted }) {
      if (lang !== undefined) refuseUnlessLang(lang);
      return transact(db, (tx) => {
        const found = tx.select(columns).from(users).where(eq(users.id, userId)).get();
        if (found === undefined) throw unknown();
        const changed = {
          lang: lang ?? found.lang,
          tosAccepted: tosAccepted ?? found.tosAccepted,
        };
        tx.update(users).set(changed).where(eq(users.id, userId)).run();
        return changed;
      });
    },
  };
}

function refuseUnlessLang(lang: string): void {
  if (new RegExp(langPattern).test(lang)) return;
  throw new ForensicsError(
    'invalid_request',
    'lang must be a language code such as "de", with an optional region such as "de-AT".',
  );
}

function unknown(): ForensicsError {
  return new ForensicsError('not_found', 'There is no such user.');
}
