/** The part of the app that needs no pictures: data folder, database, tenants, keys and people. Enough for administration. */

import { accessSync, constants, existsSync } from 'node:fs';
import { createPasswords, type Passwords } from '../access/embedded/passwords.ts';
import { createKeys, type Keys } from '../access/keys.ts';
import { createTenants, type Tenant, type Tenants } from '../access/tenants.ts';
import { createHolds, type Holds } from '../analyses/legal-holds.ts';
import { createUsageReports, type UsageReports } from '../analyses/usage-report.ts';
import { type Audit, beginChains, createAudit } from '../audit/log.ts';
import type { Settings } from '../config/config.ts';
import { type OpenDatabase, openDatabase } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import { webhookSecret } from '../webhooks/signature.ts';
import { databaseFile, finishRestore } from '../data-folder/data-folder.ts';
import { openPeople, type People } from './identity.ts';
import { type DataFolder, openDataFolder } from '../secrets/master-key.ts';
import { openSecrets, type Secrets } from '../secrets/secrets.ts';

export interface Core extends People {
  readonly folder: DataFolder;
  readonly secrets: Secrets;
  readonly database: OpenDatabase;
  readonly tenants: Tenants;
  readonly keys: Keys;
  readonly usage: UsageReports;
  readonly holds: Holds;
  readonly audit: Audit;
  /** Keys the tenants' webhook secrets. */
  readonly webhookKey: Buffer;
  webhookSecretOf(tenantId: string): string;
  close(): void;
}

/**
 * False where nothing was ever set up: an act of administration there is a slip of the pen.
 *
 * @throws {ForensicsError} `file_not_readable` where this user may not look.
 */
export function hasInstallation({ dataDir }: Pick<Settings, 'dataDir'>): boolean {
  refuseIfClosed(dataDir);
  finishRestore(dataDir);
  return existsSync(databaseFile(dataDir));
}

function refuseIfClosed(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  try {
    accessSync(dataDir, constants.X_OK);
  } catch (cause) {
    throw new ForensicsError(
      'file_not_readable',
      'You may not open the data folder; run as the user who owns it, such as sudo -u forensics.',
      { cause },
    );
  }
}

/** @throws {ForensicsError} `config_invalid`, `schema_newer`, `no_space_left`, `store_unavailable`. */
export function openCore(
  settings: Settings,
  now: () => Date = () => new Date(),
  passwords: Passwords = createPasswords(),
): Core {
  const folder = openDataFolder(settings);
  const database = openDatabase({ path: databaseFile(folder.path) });
  const { db } = database;
  try {
    beginChains(db, now);
    const secrets = openSecrets(folder, db);
    const webhookKey = secrets.of('webhooks/signing');
    return {
      folder,
      secrets,
      database,
      tenants: createTenants({ db, now }),
      keys: createKeys({ db, pepper: secrets.of('access/pepper'), now }),
      usage: createUsageReports({ db, now }),
      holds: createHolds({ db, now }),
      audit: createAudit({ db, now }),
      ...openPeople({ settings, secrets, db, passwords, now }),
      webhookKey,
      webhookSecretOf: (tenantId) => webhookSecret(webhookKey, tenantId),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

type Parts = Pick<Core, 'tenants'>;

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantNamed({ tenants }: Parts, name: string): Promise<Tenant> {
  return (await tenants.byName(name)) ?? refuse(name);
}

/**
 * Also a deleted one, by the name that its row has since: what is kept of it can still be held, counted and handed over.
 *
 * @throws {ForensicsError} as above.
 */
export async function keptTenantNamed({ tenants }: Parts, name: string): Promise<Tenant> {
  const deleted = await tenants.listDeleted();
  return deleted.find((tenant) => tenant.name === name) ?? tenantNamed({ tenants }, name);
}

function refuse(name: string): never {
  throw new ForensicsError(
    'tenant_not_found',
    `There is no tenant "${name}"; "forensics tenant list" shows those that exist.`,
  );
}
