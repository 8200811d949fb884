/** Carries out a request that is sent twice with one Idempotency-Key only once; both callers get the same response. */

import { createHash } from 'node:crypto';
import { and, eq, gte, lt } from 'drizzle-orm';
import { maxIdempotencyKeyLength } from '../contract/limits.ts';
import { conflict, invalidRequest } from '../contract/errors.ts';
import type { Reader, Tx } from '../ports/db/database.ts';
import { idempotencyKeys } from '../ports/db/schema.ts';

export interface Repeatable {
  readonly tenantId: string;
  /** The client's key, 1..255 characters. */
  readonly key: string;
  /** Name of the operation and all parameters from the client. */
  readonly request: unknown;
  readonly at: Date;
}

/** Null for a request without an Idempotency-Key. */
export function toRepeatable(
  key: string | null | undefined,
  request: Omit<Repeatable, 'key'>,
): Repeatable | null {
  return key == null ? null : { ...request, key };
}

const keptMs = 24 * 60 * 60 * 1000;

/** Null if it is new. @throws {ForensicsError} `conflict` if another request has used the key; `invalid_request`. */
export async function recall(reader: Reader, request: Repeatable | null): Promise<string | null> {
  if (request === null) return null;
  const { tenantId, key, at } = request;
  if (key === '' || key.length > maxIdempotencyKeyLength) {
    throw invalidRequest(
      `An Idempotency-Key must have 1 to ${maxIdempotencyKeyLength} characters.`,
    );
  }
  const isSameKey = and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.key, key));
  const isYoung = gte(idempotencyKeys.createdAt, new Date(at.getTime() - keptMs));
  const earlier = await reader.select().from(idempotencyKeys).where(and(isSameKey, isYoung)).get();
  if (earlier === undefined) return null;
  if (earlier.fingerprint === fingerprint(request)) return earlier.subject;
  throw conflict('This Idempotency-Key was already used for a different request; send a new key.');
}

/** Stores `subject` as the result of this request; forgets requests older than a day. */
export async function remember(tx: Tx, request: Repeatable | null, subject: string): Promise<void> {
  if (request === null) return;
  const { tenantId, key, at } = request;
  const isOld = lt(idempotencyKeys.createdAt, new Date(at.getTime() - keptMs));
  await tx.delete(idempotencyKeys).where(isOld).run();
  const row = { tenantId, key, fingerprint: fingerprint(request), subject, createdAt: at };
  await tx.insert(idempotencyKeys).values(row).run();
}

function fingerprint({ request }: Repeatable): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
