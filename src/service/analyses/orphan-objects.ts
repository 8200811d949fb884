/**
 * Objects that no analysis refers to. Each object is recorded before it is stored, and the record is deleted in the
 * transaction that refers to the object; a purge records the objects of its analysis. Anything left behind by a crash
 * or an unreachable store is therefore known, and is removed by a later sweep without listing the store.
 */

import { setImmediate } from 'node:timers/promises';
import { and, asc, gt, inArray, lte } from 'drizzle-orm';
import { transact, type Tx, type Clocked } from '../../ports/db/database.ts';
import { orphanObjects } from '../../ports/db/schema.ts';
import { conflict } from '../../contract/errors.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { StoreRef, Stores } from '../../ports/storage/stores.ts';

interface Objects {
  readonly place: StoreRef;
  readonly keys: readonly string[];
}

interface Parts extends Clocked {
  readonly stores: Stores;
  readonly onError: (error: unknown) => void;
}

const hourMs = 3_600_000;
// Longer than any start or run takes.
const unclaimedMs = 24 * hourMs;
// Separates the last possible claim from the first sweep, so that they never overlap, however long a transaction waits.
const sweepMarginMs = hourMs;
// Number of concurrent requests to the stores.
const batch = 20;

/** Call this before storing the objects. */
export async function reserveKeys({ db, now }: Pick<Parts, 'db' | 'now'>, objects: Objects) {
  const sweepAt = new Date(now().getTime() + unclaimedMs);
  await transact(db, (tx) => addOrphans(tx, objects, sweepAt));
}

/** Marks the objects for removal at or after `sweepAt`. */
export async function addOrphans(tx: Tx, { place, keys }: Objects, sweepAt: Date): Promise<void> {
  const { tenantId, storageConfigId } = place;
  const rows = keys.map((key) => ({ tenantId, storageConfigId, key, sweepAt }));
  await tx.insert(orphanObjects).values(rows).run();
}

/** @throws {ForensicsError} `conflict` if they are swept or soon will be, as after the machine was suspended. */
export async function attachKeys(tx: Tx, keys: readonly string[], at: Date): Promise<void> {
  const isSafe = gt(orphanObjects.sweepAt, new Date(at.getTime() + sweepMarginMs));
  const isListed = inArray(orphanObjects.key, [...keys]);
  const { changes } = await tx.delete(orphanObjects).where(and(isListed, isSafe)).run();
  if (changes === keys.length) return;
  throw conflict('This took so long that its files have been removed; try again.');
}

/** Discards the objects unless `act` returns true, which means that a row refers to them. */
export async function discardUnlessUsed(
  parts: Pick<Parts, 'db' | 'onError'>,
  objects: { readonly store: BlobStore; readonly keys: readonly string[] },
  act: () => Promise<boolean>,
): Promise<void> {
  let isUsed = false;
  try {
    isUsed = await act();
  } finally {
    if (!isUsed && objects.keys.length > 0) await discardObjects(parts, objects);
  }
}

/** Best effort: objects that cannot be deleted now are removed by a later sweep. */
export async function discardObjects(
  { db, onError }: Pick<Parts, 'db' | 'onError'>,
  { store, keys }: { readonly store: BlobStore; readonly keys: readonly string[] },
): Promise<void> {
  const outcomes = await Promise.allSettled(keys.map((key) => store.delete(key)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') onError(outcome.reason);
  const gone = keys.filter((_, index) => outcomes[index]!.status === 'fulfilled');
  await db.delete(orphanObjects).where(inArray(orphanObjects.key, gone)).run();
}

/** A store that fails is reported to `onError` and skipped. @returns how many were deleted, and how many remain due. */
export async function sweepObjects(context: Parts, signal: AbortSignal) {
  const failing = new Set<string>();
  let [swept, left, last] = [0, 0, 0];
  while (!signal.aborted) {
    // Only moves forward, so that an object that cannot be deleted is tried once per sweep.
    const isDue = and(gt(orphanObjects.id, last), lte(orphanObjects.sweepAt, context.now()));
    const found = context.db.select().from(orphanObjects).where(isDue);
    const due = await found.orderBy(asc(orphanObjects.id)).limit(batch).all();
    if (due.length === 0) break;
    const reachable = due.filter((row) => !failing.has(storeName(row)));
    const outcomes = await Promise.allSettled(
      reachable.map(async (row) => (await context.stores.of(row)).delete(row.key)),
    );
    const gone = reachable.flatMap((row, index) => {
      const outcome = outcomes[index]!;
      if (outcome.status === 'fulfilled') return [row.id];
      // One error per store is enough.
      if (!failing.has(storeName(row))) context.onError(outcome.reason);
      failing.add(storeName(row));
      return [];
    });
    await context.db.delete(orphanObjects).where(inArray(orphanObjects.id, gone)).run();
    swept += gone.length;
    left += due.length - gone.length;
    last = due.at(-1)!.id;
    await setImmediate();
  }
  return { swept, left };
}

function storeName({ tenantId, storageConfigId }: StoreRef): string {
  return `${tenantId}/${storageConfigId ?? ''}`;
}
