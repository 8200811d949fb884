/** The contract's Tenant, as it is answered. What is not set is left out; secrets are masked. */

import type { KeyEntry } from '../access/key-entry.ts';
import type { Tenant } from '../access/tenants.ts';
import { type Context, type StoredConfig, storedConfigOf } from './context.ts';
import { maskStorage, type StorageAnswer } from './storage-wire.ts';
import type { StorageType, WebhookState } from '../contract/vocabulary.ts';

export interface TenantAnswer {
  readonly id: string;
  readonly tenantName: string;
  /** The same, under the name by which it is changed. */
  readonly name: string;
  readonly createdDate: string;
  readonly updatedDate: string | null;
  readonly apiKeys: readonly KeyEntry[];
  readonly storageType: StorageType;
  readonly storageConfig?: StorageAnswer;
  /** What people should know about the store; null when all is well. */
  readonly storageWarning: string | null;
  readonly webhookUrl?: string;
  readonly webhookState: WebhookState;
  readonly isTrial: boolean;
}

export async function readTenant(context: Context, tenant: Tenant): Promise<TenantAnswer> {
  const { id, name, createdAt, updatedAt, isTrial, webhookUrl } = tenant;
  const stored = storedConfigOf(context, tenant);
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
