/** What the acts of this room are given. */

import type { Keys } from '../access/keys.ts';
import type { BucketCors } from '../blobs/bucket-cors.ts';
import type { OpenRemoteStore } from '../blobs/configured-stores.ts';
import type { ConfigRow, SealedConfigs } from '../blobs/sealed-configs.ts';
import type { StorageConfig } from '../blobs/storage-config.ts';
import type { Tenant } from '../access/tenants.ts';
import type { Db } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import type { WebhookGuard } from './check-webhook.ts';
import type { StorageType } from '../contract/vocabulary.ts';

export interface Context {
  readonly db: Db;
  readonly keys: Pick<Keys, 'list'>;
  readonly configs: SealedConfigs;
  readonly cors: Pick<BucketCors, 'apply'>;
  readonly openRemote: OpenRemoteStore;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
  /** Where webhooks may go; null takes every URL, for whoever does not know the settings of the server. */
  readonly webhookGuard: WebhookGuard | null;
  readonly now: () => Date;
}

/** The row of a tenant's own store, and what it says; null when it cannot be opened. */
export interface StoredConfig {
  readonly row: ConfigRow;
  readonly config: StorageConfig | null;
}

/** Null for the service's own store. */
export function storedConfigOf(
  { db, configs }: Pick<Context, 'db' | 'configs'>,
  { id: tenantId, storageConfigId }: Tenant,
): StoredConfig | null {
  if (storageConfigId === null) return null;
  const row = configs.find(db, { tenantId, id: storageConfigId });
  if (row === null) throw new TypeError('the configuration is not one of the tenant');
  return { row, config: openOrNull(configs, row) };
}

function openOrNull(configs: Pick<SealedConfigs, 'open'>, row: ConfigRow): StorageConfig | null {
  try {
    return configs.open(row);
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'store_unavailable') return null;
    throw error;
  }
}
