/** The logs by the names that people know. */

import type { Core } from '../../app/core.ts';
import { serviceChain } from '../../audit/entry.ts';
import { usageError } from '../failure.ts';
import { tenantNamed } from '../local-core.ts';
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
  return { chain: (await tenantNamed(core, tenant)).id, name: tenant };
}

/** The one that is named, or all. @throws {ForensicsError} as above. */
export async function chainsOf(core: Core, options: AuditOptions): Promise<readonly NamedChain[]> {
  if (options.tenant !== undefined || options.service) return [await oneChain(core, options)];
  const tenants = await core.tenants.list();
  return core.audit.chains().map((chain) => {
    return { chain, name: tenants.find(({ id }) => id === chain)?.name ?? chain };
  });
}
