/** Opens what knows people: the accounts, their settings, and the identity that the settings choose. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEmbeddedIdentity } from '../access/embedded/identity.ts';
import type { Passwords } from '../access/embedded/passwords.ts';
import { createLoginAttempts } from '../access/embedded/throttle.ts';
import type { Identity, Login } from '../access/identity.ts';
import { createOidcIdentity } from '../access/oidc/identity.ts';
import { createUserSettings, type UserSettingsStore } from '../access/user-facts.ts';
import { createUsers, type Users } from '../access/users.ts';
import { countLogin } from '../analyses/usage.ts';
import type { Settings } from '../config/config.ts';
import type { Db, Tx } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';

export interface People {
  readonly users: Users;
  readonly userSettings: UserSettingsStore;
  readonly identity: Identity;
}

interface PeopleParts {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly db: Db;
  readonly passwords: Passwords;
  readonly now: () => Date;
}

// What tokens name as their issuer where the outer address is not set: a port that changes must not end sessions.
const unnamedIssuer = 'forensics';

/** @throws {ForensicsError} `config_invalid`. */
export function openPeople({ settings, secrets, ...parts }: PeopleParts): People {
  const { db } = parts;
  const attempts = createLoginAttempts({ ...parts, key: secrets.of('access/attempts') });
  const users = createUsers({ ...parts, attempts });
  const common = {
    ...parts,
    users,
    onLogin: (tx: Tx, { tenantIds, at }: Login) => countLogin(tx, tenantIds, at),
  };
  const provider = providerOf(settings);
  const identity =
    provider === null
      ? createEmbeddedIdentity({
          ...common,
          attempts,
          seed: secrets.of('access/tokens'),
          issuer: settings.publicUrl ?? unnamedIssuer,
        })
      : createOidcIdentity({
          ...common,
          ...provider,
          clientSecret: settings.oidcClientSecret,
          audience: settings.oidcAudience,
          claims: {
            scopes: settings.oidcScopesClaim,
            userType: settings.oidcUserTypeClaim,
            tenants: settings.oidcTenantsClaim,
          },
          ca: readAuthorities(settings.oidcCa),
        });
  return { users, userSettings: createUserSettings({ db }), identity };
}

type OidcSettings = Pick<Settings, 'oidcIssuer' | 'oidcClientId'>;

/** Null unless people are known by an identity provider. The settings see to it that both are given or neither. */
function providerOf({ oidcIssuer, oidcClientId }: OidcSettings) {
  if (oidcIssuer === null || oidcClientId === null) return null;
  return { issuer: oidcIssuer, clientId: oidcClientId };
}

/** @throws {ForensicsError} `config_invalid` when the file cannot be read or holds no certificate. */
function readAuthorities(file: string | null): string | null {
  if (file === null) return null;
  try {
    const pem = readFileSync(file, 'utf8');
    // TLS takes any text, and then trusts nobody.
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new ForensicsError(
      'config_invalid',
      'oidcCa must be a readable file with a PEM certificate.',
      { cause: error },
    );
  }
}
