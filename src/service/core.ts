/** The part of the app without pictures: data folder, database, tenants, keys and users. Enough for administration. */

import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { createEmbeddedIdentity } from './access/embedded/identity.ts';
import { createPasswords, type Passwords } from './access/embedded/passwords.ts';
import { createLoginAttempts } from './access/embedded/throttle.ts';
import { createKeys } from './access/keys.ts';
import { createTenants } from './tenants/tenants.ts';
import { createUserSettings } from './access/user-facts.ts';
import { createUsers } from './access/users.ts';
import { createHolds } from './holds/legal-holds.ts';
import { createUsageReports } from './usage/usage.ts';
import { beginChains, createAudit } from './audit/log.ts';
import type { Settings } from '../contract/config.ts';
import {
  assertDatabasePresent,
  assertWhole,
  databaseFile,
} from '../ports/data-folder/data-folder.ts';
import {
  type Clocked,
  type Db,
  hasRow,
  type OpenDatabase,
  transact,
} from '../ports/db/database.ts';
import { openDatabase } from '../ports/db/sqlite.ts';
import { configInvalid, conflict, ForensicsError } from '../contract/errors.ts';
import { type DataFolder, openDataFolder, openSecrets, type Secrets } from './secrets/secrets.ts';
import { keysInDatabase } from '../evidence/keys-in-database.ts';
import { createSigningKeys, keysInFolder } from '../evidence/sign.ts';
import { webhookSecret } from './webhooks/deliver.ts';
import { settings as settingRows, tenants as tenantRows } from '../ports/db/schema.ts';

export type Core = Awaited<ReturnType<typeof coreOn>>;

/**
 * Returns false if nothing has ever been set up; an administrative command has then been given the wrong path.
 *
 * @throws {ForensicsError} `file_not_readable` without permission to look; `database_damaged` if something was set up
 *   but its database is missing.
 */
export function hasInstallation(settings: Pick<Settings, 'dataDir' | 'databaseUrl'>): boolean {
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl !== null) return true;
  try {
    if (existsSync(dataDir)) accessSync(dataDir, constants.X_OK);
  } catch (cause) {
    throw new ForensicsError(
      'file_not_readable',
      'You do not have permission to open the data folder; run as the user who owns it, for example with sudo -u forensics.',
      { cause },
    );
  }
  assertWhole(dataDir);
  assertDatabasePresent(dataDir);
  return existsSync(databaseFile(dataDir));
}

/** @throws {ForensicsError} `config_invalid`, `database_damaged`, `schema_newer`, `no_space_left`, `store_unavailable`. */
export async function openCore(
  settings: Settings,
  clock?: () => Date,
  passwords: Passwords = createPasswords(),
): Promise<Core> {
  const folder = openDataFolder(settings);
  const database = await openSettled(settings, folder.path);
  try {
    if (database.db.engine === 'postgres') await assertFullyMigrated(database.db);
    return await coreOn(database, { settings, folder, clock, passwords });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the core on an open database, which stays open when this fails. */
export async function openCoreOn(database: AnyDatabase, settings: Settings): Promise<Core> {
  const folder = openDataFolder(settings);
  return coreOn(database, { settings, folder, passwords: createPasswords() });
}

type AnyDatabase = OpenDatabase & { readonly now?: () => Date };

interface CoreParts extends Pick<PeopleParts, 'settings' | 'passwords'> {
  readonly folder: DataFolder;
  readonly clock?: (() => Date) | undefined;
}

async function coreOn(database: AnyDatabase, { settings, folder, clock, passwords }: CoreParts) {
  const { db } = database;
  const now = clock ?? database.now ?? (() => new Date());
  await beginChains(db, now);
  const audit = createAudit({ db, now });
  const secrets = await openSecrets(folder, db);
  const webhookKey = secrets.of('webhooks/signing');
  return {
    /** The database's clock, if several machines share the database. */
    now,
    folder,
    secrets,
    signingKeys: createSigningKeys(
      db.engine === 'sqlite'
        ? keysInFolder(folder.path)
        : keysInDatabase(db, secrets.of('evidence/signing')),
      now,
    ),
    database,
    tenants: createTenants({ db, now }),
    keys: createKeys({ db, pepper: secrets.of('access/pepper'), now }),
    usage: createUsageReports({ db, now }),
    holds: createHolds({ db, now }),
    audit,
    ...(await openPeople({ settings, secrets, db, passwords, now })),
    webhookKey,
    webhookSecretOf: (tenantId: string) => webhookSecret(webhookKey, tenantId),
    close: () => database.close(),
  };
}

async function openSettled(settings: Settings, dataDir: string): Promise<AnyDatabase> {
  const { databaseUrl: url, databasePasswordFile: passwordFile } = settings;
  if (url === null) return openDatabase({ path: databaseFile(dataDir) });
  // Loaded only here, because a single machine needs no PostgreSQL client.
  const { openPostgres } = await import('../ports/db/postgres.ts');
  return openPostgres({ url, passwordFile });
}

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantNamed({ tenants }: Pick<Core, 'tenants'>, name: string) {
  const tenant = await tenants.byName(name);
  if (tenant !== null) return tenant;
  throw new ForensicsError(
    'tenant_not_found',
    `There is no tenant "${name}"; "forensics tenant list" shows those that exist.`,
  );
}

/** Also finds a deleted tenant that still has data, by the name its row got then. @throws {ForensicsError} as above. */
export async function keptTenantNamed({ tenants }: Pick<Core, 'tenants'>, name: string) {
  const deleted = await tenants.listDeleted();
  return deleted.find((tenant) => tenant.name === name) ?? tenantNamed({ tenants }, name);
}

interface PeopleParts extends Clocked {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
}

// Token issuer if no public URL is set, so that a changed port does not end sessions.
const unnamedIssuer = 'forensics';

/** @throws {ForensicsError} `config_invalid`. */
async function openPeople({ settings, secrets, ...parts }: PeopleParts) {
  const { db } = parts;
  const attempts = createLoginAttempts({ ...parts, key: secrets.of('access/attempts') });
  const users = createUsers({ ...parts, attempts });
  const common = { ...parts, users };
  // The settings guarantee that both are given or neither.
  const { oidcIssuer, oidcClientId } = settings;
  const identity =
    oidcIssuer === null || oidcClientId === null
      ? createEmbeddedIdentity({
          ...common,
          attempts,
          seed: secrets.of('access/tokens'),
          issuer: settings.publicUrl ?? unnamedIssuer,
        })
      : // Loaded only here, because an installation without an identity provider needs no OIDC client.
        (await import('./access/oidc/identity.ts')).createOidcIdentity({
          ...common,
          issuer: oidcIssuer,
          clientId: oidcClientId,
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

/** @throws {ForensicsError} `config_invalid` if the file cannot be read or contains no certificate. */
function readAuthorities(file: string | null): string | null {
  if (file === null) return null;
  try {
    const pem = readFileSync(file, 'utf8');
    // TLS accepts any text, but would then trust no certificate.
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw configInvalid('oidcCa must specify a readable file with a PEM certificate.', {
      cause: error,
    });
  }
}

// Whether a database contains all of an installation that is being moved into it.

const migrationKey = 'migration';

interface State {
  readonly from: string;
  readonly isFinished: boolean;
}

/** @throws {ForensicsError} `conflict` if the database contains something else, or has been migrated to completely. */
export async function beginMigration(db: Db, from: string): Promise<void> {
  await transact(db, async (tx) => {
    const found = await stateIn(tx);
    if (found?.isFinished === true) {
      throw conflict(
        'This installation has already been moved to that database; set databaseUrl and start the server.',
      );
    }
    if (found === null ? await hasRow(tx, tenantRows) : found.from !== from) {
      throw conflict('That database belongs to another installation; specify an empty one.');
    }
    if (found !== null) return;
    const value = JSON.stringify({ from, isFinished: false } satisfies State);
    await tx.insert(settingRows).values({ key: migrationKey, value }).run();
  });
}

export async function finishMigration(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const { from } = (await stateIn(tx)) ?? { from: '' };
    const value = JSON.stringify({ from, isFinished: true } satisfies State);
    await tx.update(settingRows).set({ value }).where(isMigration).run();
  });
}

/** @throws {ForensicsError} `conflict`. */
async function assertFullyMigrated(db: Db): Promise<void> {
  if ((await stateIn(db))?.isFinished !== false) return;
  throw conflict(
    'The migration to this database is incomplete; run "forensics migrate" again on the original data folder.',
  );
}

async function stateIn(reader: Pick<Db, 'select'>): Promise<State | null> {
  const row = await reader.select().from(settingRows).where(isMigration).get();
  return row === undefined ? null : JSON.parse(row.value);
}

const isMigration = eq(settingRows.key, migrationKey);
