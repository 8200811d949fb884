import type { Tenant } from '../access/tenants.ts';
import { ForensicsError } from '../errors.ts';
import type { Core } from './core.ts';

type Parts = Pick<Core, 'tenants'>;

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantNamed({ tenants }: Parts, name: string): Promise<Tenant> {
  return (await tenants.byName(name)) ?? refuse(name);
}

/**
 * Also a deleted one, by the name that its row has since: what is kept of it can still be held, counted and handed over.
 *
 * @throws {ForensicsError} as above.
 */
export async function keptTenantNamed({ tenants }: Parts, name: string): Promise<Tenant> {
  const deleted = await tenants.listDeleted();
  return deleted.find((tenant) => tenant.name === name) ?? tenantNamed({ tenants }, name);
}

function refuse(name: string): never {
  throw new ForensicsError(
    'tenant_not_found',
    `There is no tenant "${name}"; "forensics tenant list" shows those that exist.`,
  );
}
