/**
 * Remembers what a request with an Idempotency-Key led to, in the transaction of the act itself: the same request sent
 * twice acts once, and both callers get the same answer.
 */

import { createHash } from 'node:crypto';
import { and, eq, lt } from 'drizzle-orm';
import { ForensicsError } from '../errors.ts';
import type { Tx } from './open.ts';
import { idempotencyKeys } from './schema.ts';

export interface Repeatable {
  readonly tenantId: string;
  /** The client's key, 1..255 characters. */
  readonly key: string;
  /** Name of the act and everything the client asked for. */
  readonly request: unknown;
  readonly at: Date;
}

const keptMs = 24 * 60 * 60 * 1000;

/**
 * Runs `act` unless the same request was already served within a day.
 *
 * @param act - returns the id of what it made or started.
 * @returns that id, and whether it comes from the earlier request.
 * @throws {ForensicsError} `conflict` when the key was used for another request; `invalid_request` for an unusable key.
 */
export function onlyOnce(
  tx: Tx,
  request: Repeatable | null,
  act: () => string,
): { readonly subject: string; readonly isRepeat: boolean } {
  if (request === null) return { subject: act(), isRepeat: false };
  const { tenantId, key, at } = request;
  if (key === '' || key.length > 255) {
    throw new ForensicsError('invalid_request', 'An Idempotency-Key has 1 to 255 characters.');
  }
  tx.delete(idempotencyKeys)
    .where(lt(idempotencyKeys.createdAt, new Date(at.getTime() - keptMs)))
    .run();
  const fingerprint = createHash('sha256').update(JSON.stringify(request.request)).digest('hex');
  const earlier = tx
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.key, key)))
    .get();
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
    throw new ForensicsError(
      'conflict',
      'This Idempotency-Key was used for another request; send a new key.',
    );
  }
  if (earlier !== undefined) return { subject: earlier.subject, isRepeat: true };
  const subject = act();
  tx.insert(idempotencyKeys).values({ tenantId, key, fingerprint, subject, createdAt: at }).run();
  return { subject, isRepeat: false };
}
