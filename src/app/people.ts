/** Opens what knows people: the accounts, their settings, and the identity that the settings choose. */

import { createEmbeddedIdentity } from '../access/embedded-identity.ts';
import type { Identity } from '../access/identity.ts';
import { createLoginAttempts } from '../access/login-attempts.ts';
import type { Passwords } from '../access/passwords.ts';
import { createUserSettings } from '../access/user-settings.ts';
import type { UserSettingsStore } from '../access/user-settings.ts';
import { createUsers } from '../access/users.ts';
import type { Users } from '../access/users.ts';
import { countLogin } from '../analyses/usage.ts';
import type { Settings } from '../config.ts';
import type { Db } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import type { DataFolder } from './data-folder.ts';

export interface People {
  readonly users: Users;
  readonly userSettings: UserSettingsStore;
  readonly identity: Identity;
}

interface PeopleParts {
  readonly settings: Settings;
  readonly folder: DataFolder;
  readonly db: Db;
  readonly passwords: Passwords;
  readonly now: () => Date;
}

// What tokens name as their issuer where the outer address is not set: a port that changes must not end sessions.
const unnamedIssuer = 'forensics';

/** @throws {ForensicsError} `config_invalid`. */
export function openPeople({ settings, folder, ...parts }: PeopleParts): People {
  const { db } = parts;
  const attempts = createLoginAttempts({ ...parts, key: folder.derive('access/attempts') });
  const users = createUsers({ ...parts, attempts });
  const embedded = (): Identity =>
    createEmbeddedIdentity({
      ...parts,
      users,
      attempts,
      seed: folder.derive('access/tokens'),
      issuer: settings.publicUrl ?? unnamedIssuer,
      onLogin: (tx, { tenantIds, at }) => countLogin(tx, tenantIds, at),
    });
  return {
    users,
    userSettings: createUserSettings({ db }),
    identity: settings.oidcIssuer === null ? embedded() : refuseOidc(),
  };
}

function refuseOidc(): never {
  throw new ForensicsError(
    'config_invalid',
    'An OpenID Connect issuer cannot be used yet; leave oidcIssuer out.',
  );
}
