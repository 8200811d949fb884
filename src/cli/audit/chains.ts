/** The logs by the names that people know. */

import type { Core } from '../../app/core.ts';
import { serviceChain } from '../../audit/entry.ts';
import { usageError } from '../failure.ts';
import { keptTenantNamed } from '../../app/tenant-named.ts';
import type { AuditOptions } from './options.ts';

export interface NamedChain {
  readonly chain: string;
  /** Name of the tenant, `service`, or the id where there is no such tenant. */
  readonly name: string;
}

/** @throws {ForensicsError} `usage` unless one is named, `tenant_not_found`. */
export async function oneChain(core: Core, options: AuditOptions): Promise<NamedChain> {
  const { tenant, service } = options;
  if ((tenant === undefined) === !service) throw usageError('Say --tenant <name> or --service.');
  if (tenant === undefined) return { chain: serviceChain, name: serviceChain };
  // Of a tenant of which no row is left, its id is all that is known.
  const isKept = /^[0-9a-f]{24}$/.test(tenant) && core.audit.chains().includes(tenant);
  return { chain: isKept ? tenant : (await keptTenantNamed(core, tenant)).id, name: tenant };
}

/** The one that is named, or all. @throws {ForensicsError} as above. */
export async function chainsOf(core: Core, options: AuditOptions): Promise<readonly NamedChain[]> {
  if (options.tenant !== undefined || options.service) return [await oneChain(core, options)];
  const tenants = [...(await core.tenants.list()), ...(await core.tenants.listDeleted())];
  return core.audit.chains().map((chain) => {
    return { chain, name: tenants.find(({ id }) => id === chain)?.name ?? chain };
  });
}
