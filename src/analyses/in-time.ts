/**
 * How long an act may wait for a store. A store is often somebody else's machine, and who waits for it holds a place at the
 * gate or a worker that other tenants need.
 */

import type { BlobStore } from '../blobs/store.ts';
import type { Place } from '../blobs/stores.ts';
import { ForensicsError } from '../errors.ts';
import type { Context } from './context.ts';

/** The store of a place for one act: what the act asks of it may take `storeWaitMs` together. */
export function openInTime(
  { stores, storeWaitMs }: Pick<Context, 'stores' | 'storeWaitMs'>,
  place: Place,
  signal?: AbortSignal,
): BlobStore {
  const store = stores.of(place);
  const ask = createPatience(storeWaitMs);
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
function createPatience(ms: number) {
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
