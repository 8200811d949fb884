/** What an installation needs before anybody can use it: one tenant and one key, and a key that signs evidence. */

import type { KeyEntry } from '../access/key-entry.ts';
import type { Tenant } from '../access/tenants.ts';
import { service, serviceChain } from '../audit/entry.ts';
import type { Core } from './core.ts';
import { createSigningKeys } from './signing-keys.ts';

const firstTenantName = 'default';
const keyName = 'first run';
const keyLifeMs = 365 * 86_400_000;

export interface FirstRun {
  readonly tenant: Tenant;
  /** With its secret, this once. */
  readonly key: KeyEntry;
}

/** Makes them where there never was a tenant; null on every later run, also when the last tenant was deleted. */
export async function makeFirstTenant(core: Core, now: Date): Promise<FirstRun | null> {
  // Every tenant has a log that outlives it.
  const hadTenant = core.audit.chains().some((chain) => chain !== serviceChain);
  if (hadTenant) return null;
  // Made now, so that its public half can be handed out before the first bundle.
  createSigningKeys({ dataDir: core.folder.path, now: () => now }).signer();
  const tenant = await core.tenants.create({ name: firstTenantName, by: service });
  const expiresAt = new Date(now.getTime() + keyLifeMs);
  const key = await core.keys.mint({
    tenantId: tenant.id,
    name: keyName,
    expiresAt,
    by: service,
  });
  return { tenant, key };
}
