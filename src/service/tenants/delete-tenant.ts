/** Deletes a tenant: it loses all access at once, its analyses are hidden, and retention purges the rest in due course. */

import { and, eq, isNull } from 'drizzle-orm';
import { freshWebhook, activeTenant, type Tenant } from './tenants.ts';
import { auditTenants } from '../access/user-facts.ts';
import { endAccess, findTenantIds } from '../access/users.ts';
import { findHolds } from '../holds/legal-holds.ts';
import { hideAnalyses } from '../analyses/retention.ts';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { type Db, transact, type Tx } from '../../ports/db/database.ts';
import { apiKeys, tenantNames, tenants, userTenants } from '../../ports/db/schema.ts';
import { conflict } from '../../errors.ts';
import { createQueue } from '../jobs/queue.ts';
import { createOutbox } from '../webhooks/outbox.ts';

interface TenantDeletion {
  readonly tenant: Pick<Tenant, 'id' | 'name'>;
  readonly by: Actor;
  readonly now: () => Date;
}

/**
 * A crash cannot leave the tenant half deleted; analyses that were not hidden in time are hidden by the daily chore.
 *
 * @returns the tenant's row after deletion, and the number of analyses that were hidden.
 * @throws {ForensicsError} `conflict` while any of the tenant's data is on legal hold; `tenant_not_found`.
 */
export async function deleteTenant(
  { database: { db } }: { readonly database: { readonly db: Db } },
  { tenant: { id, name }, by, now }: TenantDeletion,
) {
  const tenant = await transact(db, async (tx) => {
    await assertNoHolds(tx, { id, name });
    return endTenant(tx, { id, at: now(), by });
  });
  const parts = { db, now };
  const lifecycle = { ...parts, queue: createQueue(parts), outbox: createOutbox(parts) };
  const { signal } = new AbortController();
  return { tenant, analyses: await hideAnalyses(lifecycle, { tenantId: id, by, signal }) };
}

// This is enough to see what is on hold; "hold list" shows everything.
const maxNamed = 5;

async function assertNoHolds(tx: Tx, { id, name }: TenantDeletion['tenant']): Promise<void> {
  const holds = await findHolds(tx, id);
  if (holds.length === 0) return;
  const named = holds.slice(0, maxNamed).map(({ analysisId, reason }) => {
    const what = analysisId ?? 'everything';
    return reason === '' ? what : `${what} (${reason})`;
  });
  const more = holds.length > maxNamed ? `, and ${holds.length - maxNamed} more` : '';
  throw conflict(
    `The tenant is on legal hold: ${named.join(', ')}${more}. Nothing was deleted; first lift each hold with "forensics hold remove --tenant ${name}".`,
  );
}

interface TenantEnd {
  readonly id: string;
  readonly at: Date;
  readonly by: Actor;
}

/**
 * Revokes its keys, removes its members and ends their sessions, switches its webhook off and frees its names. Pending
 * deliveries are dropped, because they no longer have a receiver.
 */
async function endTenant(tx: Tx, { id, at, by }: TenantEnd): Promise<Tenant> {
  const { name } = await activeTenant(tx, id);
  const isLiving = and(eq(apiKeys.tenantId, id), isNull(apiKeys.revokedAt));
  const keys = await tx.update(apiKeys).set({ revokedAt: at }).where(isLiving).returning().all();
  const members = await removeMembers(tx, { id, at, by });
  await tx.delete(tenantNames).where(eq(tenantNames.tenantId, id)).run();
  // The new name shows which tenant it was, and cannot clash, because the name of a tenant has no tilde.
  const end = { name: `${name}~${id}`, deletedAt: at, updatedAt: at };
  const columns = { ...end, ...freshWebhook, webhookUrl: null };
  const details = { keys: keys.length, members };
  await append(tx, { chain: id, at, actor: by, event: 'tenant.deleted', subject: id, details });
  return tx.update(tenants).set(columns).where(eq(tenants.id, id)).returning().get();
}

async function removeMembers(tx: Tx, { id, at, by }: TenantEnd): Promise<number> {
  const members = await tx.select().from(userTenants).where(eq(userTenants.tenantId, id)).all();
  for (const { userId } of members) {
    const before = await findTenantIds(tx, userId);
    await endAccess(tx, userId, at);
    const after = before.filter((one) => one !== id);
    await auditTenants(tx, { userId, at, by }, { before, after });
  }
  await tx.delete(userTenants).where(eq(userTenants.tenantId, id)).run();
  return members.length;
}
