/**
 * The end of a tenant for everybody who acts for it: at once, in one transaction. What it leaves behind (analyses, objects,
 * figures) is no matter of this room.
 */

import { and, eq, isNull } from 'drizzle-orm';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { Tx } from '../db/open.ts';
import { apiKeys, tenantNames, tenants, userTenants } from '../db/schema.ts';
import { freshWebhook, livingTenant, type Tenant } from './tenants.ts';
import { tellTenants } from './user-facts.ts';
import { endAccess, tenantIdsOf } from './users.ts';

export interface TenantEnd {
  readonly id: string;
  readonly at: Date;
  readonly by: Actor;
}

/**
 * Keys are revoked, members removed and their sessions ended, the webhook is off, and every name is free again. What waits to
 * be delivered has no receiver any more.
 *
 * @throws {ForensicsError} `tenant_not_found`.
 */
export function endTenant(tx: Tx, { id, at, by }: TenantEnd): Tenant {
  const { name } = livingTenant(tx, id);
  const isLiving = and(eq(apiKeys.tenantId, id), isNull(apiKeys.revokedAt));
  const keys = tx.update(apiKeys).set({ revokedAt: at }).where(isLiving).returning().all();
  const members = removeMembers(tx, { id, at, by });
  tx.delete(tenantNames).where(eq(tenantNames.tenantId, id)).run();
  const end = { name: deletedName(name, id), deletedAt: at, updatedAt: at };
  const columns = { ...end, ...freshWebhook, webhookUrl: null };
  const details = { keys: keys.length, members };
  append(tx, { chain: id, at, actor: by, event: 'tenant.deleted', subject: id, details });
  return tx.update(tenants).set(columns).where(eq(tenants.id, id)).returning().get();
}

/** Tells which tenant it was, and is no name that a tenant can have: those have no tilde. */
function deletedName(name: string, id: string): string {
  return `${name}~${id}`;
}

/** @returns how many there were. */
function removeMembers(tx: Tx, { id, at, by }: TenantEnd): number {
  const members = tx.select().from(userTenants).where(eq(userTenants.tenantId, id)).all();
  for (const { userId } of members) {
    const before = tenantIdsOf(tx, userId);
    endAccess(tx, userId, at);
    tellTenants(tx, { userId, at, by }, { before, after: before.filter((one) => one !== id) });
  }
  tx.delete(userTenants).where(eq(userTenants.tenantId, id)).run();
  return members.length;
}
