/** What the acts of this room are given. */

import type { Keys } from '../access/keys.ts';
import type { Tenant } from './tenants.ts';
import type { TenantAnswer } from '../../contract/tenant.ts';
import type { StorageType, WebhookState } from '../../contract/vocabulary.ts';
import type { Db } from '../../ports/db/database.ts';
import { ForensicsError } from '../../errors.ts';
import type { ConnectionGuard } from '../../ports/network/address-guard.ts';
import type { BucketCors } from '../../ports/storage/bucket-cors.ts';
import type { ConfigRow, SealedConfigs } from '../../ports/storage/configs.ts';
import type { StorageConfig } from '../../ports/storage/storage-config.ts';
import type { OpenRemoteStore } from '../../ports/storage/stores.ts';
import { maskStorage } from './merge-storage.ts';

export interface Context {
  readonly db: Db;
  readonly keys: Pick<Keys, 'list'>;
  readonly configs: SealedConfigs;
  readonly cors: Pick<BucketCors, 'apply'>;
  readonly openRemote: OpenRemoteStore;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
  /** Where webhooks may go; null allows every URL, for callers that do not know the settings of the server. */
  readonly webhookGuard: WebhookGuard | null;
  readonly now: () => Date;
}

/** The row of a tenant's own store, and its content; null when it cannot be opened. */
export interface StoredConfig {
  readonly row: ConfigRow;
  readonly config: StorageConfig | null;
}

/** Null for the service's own store. */
export async function storedConfigOf(
  { db, configs }: Pick<Context, 'db' | 'configs'>,
  { id: tenantId, storageConfigId }: Tenant,
): Promise<StoredConfig | null> {
  if (storageConfigId === null) return null;
  const row = await configs.find(db, { tenantId, id: storageConfigId });
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

/** The contract's Tenant, as it is answered. What is not set is left out; secrets are masked. */
export async function readTenant(context: Context, tenant: Tenant): Promise<TenantAnswer> {
  const { id, name, createdAt, updatedAt, isTrial, webhookUrl } = tenant;
  const stored = await storedConfigOf(context, tenant);
  const config = stored?.config ?? null;
  return {
    id,
    tenantName: name,
    name,
    createdDate: createdAt.toISOString(),
    updatedDate: updatedAt?.toISOString() ?? null,
    apiKeys: await context.keys.list(id),
    storageType: stored?.row.type ?? context.defaultType,
    ...(config === null ? {} : { storageConfig: maskStorage(config) }),
    storageWarning: warningOf(stored),
    ...(webhookUrl === null ? {} : { webhookUrl }),
    webhookState: webhookStateOf(tenant),
    isTrial,
    defaultOptions: tenant.defaultOptions,
  };
}

export function webhookStateOf(tenant: Tenant): WebhookState {
  if (tenant.webhookUrl === null) return 'none';
  if (tenant.webhookDisabledAt !== null) return tenant.webhookDisabledReason ?? 'gone';
  return tenant.webhookFailingSince === null ? 'active' : 'retrying';
}

function warningOf(stored: StoredConfig | null): string | null {
  if (stored === null) return null;
  if (stored.config === null) {
    return 'The storage configuration cannot be opened with the present master key; put that key back, or send the whole configuration again.';
  }
  const { corsWarning } = stored.row;
  return corsWarning === null ? null : `Browsers may be kept from the bucket: ${corsWarning}`;
}

export type WebhookGuard = Pick<ConnectionGuard, 'refusalOf'>;

/**
 * Why nothing could ever be delivered to this URL: null for names, which are judged whenever they are called, and for
 * what is no URL at all.
 */
export function complaintAbout(webhookUrl: string, guard: WebhookGuard): string | null {
  const host = URL.parse(webhookUrl)?.hostname ?? '';
  if (guard.refusalOf(host) === null) return null;
  return 'webhookUrl names an address that webhooks may not go to; which ones they may, the administrator says with webhookAllow.';
}
