/** The end of a tenant: nobody acts for it any more, its analyses are hidden, and retention takes what is left in its time. */

import { endTenant } from '../access/delete-tenant.ts';
import type { Tenant } from '../access/tenants.ts';
import { findHolds, type Hold } from '../analyses/legal-holds.ts';
import { createLifecycle } from '../analyses/lifecycle/lifecycle.ts';
import { hideAnalyses } from '../analyses/retention.ts';
import type { Actor } from '../audit/entry.ts';
import { type Db, transact, type Tx } from '../db/open.ts';
import { ForensicsError } from '../errors.ts';
import { createQueue } from '../jobs/queue.ts';
import { createOutbox } from '../webhooks/outbox.ts';

interface Parts {
  readonly database: { readonly db: Db };
}

export interface TenantDeletion {
  readonly tenant: Pick<Tenant, 'id' | 'name'>;
  readonly by: Actor;
  readonly now: () => Date;
}

export interface DeletedTenant {
  /** As its row is from now on. */
  readonly tenant: Tenant;
  /** How many analyses were hidden. */
  readonly analyses: number;
}

/**
 * Killed at any moment it leaves nothing half: the tenant is deleted or it is not, and what it did not come to hide the
 * daily chore hides.
 *
 * @throws {ForensicsError} `conflict` while something of it is held; `tenant_not_found`.
 */
export async function deleteTenant(
  { database: { db } }: Parts,
  { tenant: { id, name }, by, now }: TenantDeletion,
): Promise<DeletedTenant> {
  const tenant = transact(db, (tx) => {
    refuseIfHeld(tx, { id, name });
    return endTenant(tx, { id, at: now(), by });
  });
  const parts = { db, now };
  const lifecycle = createLifecycle({
    ...parts,
    queue: createQueue(parts),
    outbox: createOutbox(parts),
  });
  const { signal } = new AbortController();
  return { tenant, analyses: await hideAnalyses(lifecycle, { tenantId: id, signal }) };
}

// Enough to know what it is about; "hold list" shows all.
const mostNamed = 5;

function refuseIfHeld(tx: Tx, { id, name }: TenantDeletion['tenant']): void {
  const holds = findHolds(tx, id);
  if (holds.length === 0) return;
  const named = holds.slice(0, mostNamed).map(nameOf);
  const more = holds.length > mostNamed ? `, and ${holds.length - mostNamed} more` : '';
  throw new ForensicsError(
    'conflict',
    `The tenant is under hold: ${named.join(', ')}${more}. Nothing was deleted; end each hold first with "forensics hold remove --tenant ${name}".`,
  );
}

function nameOf({ analysisId, reason }: Hold): string {
  const what = analysisId ?? 'everything';
  return reason === '' ? what : `${what} (${reason})`;
}
