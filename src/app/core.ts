/** The part of the app that needs no pictures: data folder, database, tenants and keys. Enough for administration. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../access/identity.ts';
import { createKeys } from '../access/keys.ts';
import type { Keys } from '../access/keys.ts';
import { createTenants } from '../access/tenants.ts';
import type { Tenants } from '../access/tenants.ts';
import type { Settings } from '../config.ts';
import { ForensicsError } from '../errors.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/open.ts';
import { webhookSecret } from '../webhooks/signature.ts';
import { openDataFolder } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';

export interface Core {
  readonly folder: DataFolder;
  readonly database: OpenDatabase;
  readonly tenants: Tenants;
  readonly keys: Keys;
  readonly identity: Identity;
  /** Keys the tenants' webhook secrets. */
  readonly webhookKey: Buffer;
  webhookSecretOf(tenantId: string): string;
  close(): void;
}

/** False where nothing was ever set up: an act of administration there is a slip of the pen. */
export function hasInstallation(settings: Pick<Settings, 'dataDir'>): boolean {
  return existsSync(databaseFile(settings.dataDir));
}

/** @throws {ForensicsError} `config_invalid`, `schema_newer`, `no_space_left`, `store_unavailable`. */
export function openCore(settings: Settings, now: () => Date = () => new Date()): Core {
  const folder = openDataFolder(settings);
  const database = openDatabase({ path: databaseFile(folder.path) });
  const { db } = database;
  const webhookKey = folder.derive('webhooks/signing');
  return {
    folder,
    database,
    tenants: createTenants({ db, now }),
    keys: createKeys({ db, pepper: folder.derive('access/pepper'), now }),
    identity: noUsers,
    webhookKey,
    webhookSecretOf: (tenantId) => webhookSecret(webhookKey, tenantId),
    close: () => database.close(),
  };
}

function databaseFile(dataDir: string): string {
  return join(dataDir, 'forensics.db');
}

// Stands here until the embedded accounts do.
const refuse = async (): Promise<never> => {
  throw new ForensicsError('unauthenticated', 'The token is not valid.');
};
const noUsers: Identity = {
  kind: 'embedded',
  authenticate: refuse,
  login: refuse,
  refresh: refuse,
  info: refuse,
  verify: refuse,
  revoke: refuse,
  changePassword: refuse,
};
