import type { Repeatable } from '../db/idempotency.ts';
import type { Caller } from './context.ts';

/** What is remembered of a request that carries an Idempotency-Key; null for one without. */
export function repeatableOf(
  { tenant, idempotencyKey }: Caller,
  request: { readonly act: string } & Readonly<Record<string, unknown>>,
  at: Date,
): Repeatable | null {
  if (idempotencyKey == null) return null;
  return { tenantId: tenant.id, key: idempotencyKey, request, at };
}
