import type { Settings } from '../config.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { createConnectionGuard } from '../outbound/connection-guard.ts';
import type { WebhookGuard } from '../tenancy/check-webhook.ts';
import type { Context } from '../tenancy/context.ts';
import { createTenancy, type Tenancy } from '../tenancy/tenancy.ts';
import type { Core } from './core.ts';
import type { TenantStorage } from './tenant-storage.ts';

interface TenancyParts extends Pick<Context, 'webhookGuard' | 'now'> {
  readonly core: Pick<Core, 'database' | 'keys'>;
  readonly storage: TenantStorage;
}

/** Not a part of the core: clients for S3 and Azure are slow to load, and few commands need them. */
export function openTenancy({ core, storage, webhookGuard, now }: TenancyParts): Tenancy {
  const { database, keys } = core;
  return createTenancy({ ...storage, db: database.db, keys, webhookGuard, now });
}

/** @throws {ForensicsError} `config_invalid` for an address range that makes no sense. */
export function webhookGuardOf({ webhookAllow }: Pick<Settings, 'webhookAllow'>): WebhookGuard {
  return createConnectionGuard(createAddressGuard(webhookAllow));
}
