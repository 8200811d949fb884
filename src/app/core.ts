/** The part of the app that needs no pictures: data folder, database, tenants, keys and people. Enough for administration. */

import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKeys } from '../access/keys.ts';
import type { Keys } from '../access/keys.ts';
import { createPasswords } from '../access/passwords.ts';
import type { Passwords } from '../access/passwords.ts';
import { createTenants } from '../access/tenants.ts';
import type { Tenants } from '../access/tenants.ts';
import { createHolds } from '../analyses/holds.ts';
import type { Holds } from '../analyses/holds.ts';
import { createUsageReports } from '../analyses/usage-report.ts';
import type { UsageReports } from '../analyses/usage-report.ts';
import { beginChains } from '../audit/append.ts';
import { createAudit } from '../audit/audit.ts';
import type { Audit } from '../audit/audit.ts';
import type { Settings } from '../config.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import { webhookSecret } from '../webhooks/signature.ts';
import { finishRestore, openDataFolder } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';
import { openPeople } from './people.ts';
import type { People } from './people.ts';
import { openSecrets } from './secrets.ts';
import type { Secrets } from './secrets.ts';

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
      'The data folder is closed to you; run as the user who owns it, such as sudo -u forensics.',
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

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'forensics.db');
}
