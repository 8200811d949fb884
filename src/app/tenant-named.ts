import type { Tenant } from '../access/tenants.ts';
import { ForensicsError } from '../errors.ts';
import type { Core } from './core.ts';

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantNamed(
  { tenants }: Pick<Core, 'tenants'>,
  name: string,
): Promise<Tenant> {
  const tenant = await tenants.byName(name);
  if (tenant !== null) return tenant;
  throw new ForensicsError(
    'tenant_not_found',
    `There is no tenant "${name}"; "forensics tenant list" shows those that exist.`,
  );
}
