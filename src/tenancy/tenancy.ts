/**
 * Tenants as their own people see and change them: name, webhook, and where their objects lie. Knows no requests; that
 * the caller may act for the tenant was checked before.
 */

import type { Tenant } from '../access/tenants.ts';
import type { Actor } from '../audit/entry.ts';
import { changeTenant, type TenantRequest } from './change.ts';
import type { Context } from './context.ts';
import { readTenant, type TenantAnswer } from './view.ts';

export interface Tenancy {
  /** With masked secrets. */
  read(tenant: Tenant): Promise<TenantAnswer>;
  /**
   * Changes what the request names and answers the tenant as it is then. Takes its own answer back unchanged.
   *
   * @throws {ForensicsError} `invalid_request`, `conflict`, `store_refused`, `store_unavailable`: nothing is changed then.
   */
  change(tenant: Tenant, request: TenantRequest, by: Actor): Promise<TenantAnswer>;
}

export function createTenancy(context: Context): Tenancy {
  return {
    read: (tenant) => readTenant(context, tenant),
    change: (tenant, request, by) => changeTenant(context, { tenant, request, by }),
  };
}
