/** What one act may take from the others: pictures in memory at a time, and the time it waits for a store. */

import pLimit, { type LimitFunction } from 'p-limit';
import { ForensicsError } from '../../errors.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { StoreRef, Stores } from '../../ports/storage/stores.ts';

/**
 * Runs a few acts at a time while the others wait: each holds a whole picture in memory. No tenant gets the
 * last permit: a store that does not answer holds up its own tenant alone.
 */
export type Semaphore = <T>(tenantId: string, act: () => Promise<T>) => Promise<T>;

/** @param permits - acts at a time, at least 1; the others begin in the order in which they came. */
export function createSemaphore(permits: number): Semaphore {
  const everybody = pLimit(permits);
  const tenants = new Map<string, LimitFunction>();
  return (tenantId, act) => {
    const own = tenants.get(tenantId) ?? pLimit(Math.max(1, permits - 1));
    tenants.set(tenantId, own);
    return own(() => everybody(act));
  };
}

/**
 * The store for one act: what the act asks of it may take `storeWaitMs` together. A store is often another party's machine,
 * and who waits for it holds a permit of the semaphore or a worker that other tenants need.
 */
export async function openInTime(
  { stores, storeWaitMs }: { readonly stores: Stores; readonly storeWaitMs: number },
  where: StoreRef,
  signal?: AbortSignal,
): Promise<BlobStore> {
  const store = await stores.of(where);
  const ask = createTimeBudget(storeWaitMs);
  return {
    type: store.type,
    put: (key, body, options) => ask(() => store.put(key, body, options), signal),
    read: (key, maxBytes) => ask(() => store.read(key, maxBytes), signal),
    head: (key) => ask(() => store.head(key), signal),
    // What is stopped still cleans up.
    delete: (key) => ask(() => store.delete(key)),
    presign: (key, now) => store.presign(key, now),
  };
}

/** Only the time is counted during which something was asked for; what is asked for at once counts once. */
function createTimeBudget(ms: number) {
  let leftMs = ms;
  let underWay = 0;
  let since = 0;

  return async <T>(act: () => Promise<T>, end?: AbortSignal): Promise<T> => {
    end?.throwIfAborted();
    if (underWay === 0) since = performance.now();
    const stillMs = leftMs - (performance.now() - since);
    if (stillMs <= 0) throw tooSlow();
    underWay++;
    try {
      return await within(stillMs, act(), end);
    } finally {
      underWay--;
      if (underWay === 0) leftMs -= performance.now() - since;
    }
  };
}

/** Ends the waiting, not the work: the limits of the store's own client end that. */
async function within<T>(ms: number, work: Promise<T>, end?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), ms);
    const abort = () => reject(end?.reason);
    end?.addEventListener('abort', abort);
    const settle = () => {
      clearTimeout(timer);
      end?.removeEventListener('abort', abort);
    };
    void work.then(resolve, reject).finally(settle);
  });
}

function tooSlow(): ForensicsError {
  return new ForensicsError(
    'store_unavailable',
    'The store does not answer in time; try again later.',
  );
}
