/** What an installation needs before anybody can use it: one tenant and one key, and a key that signs evidence. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tenant } from '../access/tenants.ts';
import { service, serviceChain } from '../audit/entry.ts';
import type { KeyEntry } from '../contract/keys.ts';
import { createSigningKeys } from '../secrets/signing-keys.ts';
import type { Core } from './core.ts';

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

const names = ['real.jpg', 'fake.jpg'] as const;
// The same from `src/app` and from `dist/app`: pictures are not compiled.
const shipped = fileURLToPath(new URL('../../src/app/trial/', import.meta.url));

/**
 * The two pictures that trial tenants may analyse. Drawn ones are shipped (`npm run draw -- --trial`); a file of the
 * same name in the folder `trial` of the data folder takes the place of one.
 * These are the paths of the drawn ones by name.
 */
export const shippedTrialImages: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [name, join(shipped, name)]),
);

/** One of them, for callers that need any picture at all. */
export const shippedTrialImage = join(shipped, names[0]);

/** Lower-case hex MD5 of both: the contract compares them so. It protects nothing. */
export function trialMd5s(dataDir: string): readonly string[] {
  return names.map((name) => {
    const own = join(dataDir, 'trial', name);
    const file = existsSync(own) ? own : join(shipped, name);
    return createHash('md5').update(readFileSync(file)).digest('hex');
  });
}
