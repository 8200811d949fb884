import pLimit, { type LimitFunction } from 'p-limit';
import { recall } from '../db/idempotency.ts';
import { ForensicsError } from '../errors.ts';
import type { BlobStore } from '../storage/store.ts';
import type { Place } from '../storage/stores.ts';
import type { Caller, Context } from './analyses.ts';
import { isPictureError, takeIn } from './ingest.ts';
import { type Act, refuseUnlessStartable, repeatableOf } from './lifecycle/act.ts';
import { discardObjects } from './orphan-objects.ts';
import { getRow } from './rows.ts';

/**
 * Takes the upload in and puts the analysis into the queue. Of two starts at once one wins. An upload that can never be
 * analysed makes the analysis fail.
 *
 * @throws {ForensicsError} `analysis_not_found`, `analysis_not_pending`, `upload_missing` (stays pending);
 * `image_*`, `trial_image_mismatch` (now failed); `store_unavailable`, `store_refused`, `no_space_left`.
 */
export async function startAnalysis(
  context: Context,
  caller: Caller,
  analysisId: string,
): Promise<void> {
  const { db, lifecycle, now } = context;
  const { tenant, principal } = caller;
  const repeatable = repeatableOf(caller, { act: 'start', analysisId }, now());
  const act: Act = { tenantId: tenant.id, analysisId, actor: principal, repeatable };
  if (recall(db, repeatable) !== null) return;
  const row = getRow(db, act);
  refuseUnlessStartable(row);
  const store = openInTime(context, row);
  const intake = context.gate(tenant.id, () => takeIn(context, { row, tenant, store }));
  const evidence = await intake.catch((error: unknown) => {
    if (isPictureError(error)) lifecycle.refuseUpload(act, error);
    throw error;
  });
  let isUsed = false;
  try {
    isUsed = lifecycle.queueRun(act, evidence);
  } finally {
    if (!isUsed) await discardObjects(context, { store, keys: [evidence.key] });
  }
}

/**
 * Lets a few through at a time and the others wait: each act behind it holds a whole picture in memory. No tenant gets the
 * last place: a store that does not answer holds up its own tenant alone.
 */
export type Gate = <T>(tenantId: string, act: () => Promise<T>) => Promise<T>;

/** @param places - acts at a time, at least 1; the others begin in the order in which they came. */
export function createGate(places: number): Gate {
  const everybody = pLimit(places);
  const tenants = new Map<string, LimitFunction>();
  return (tenantId, act) => {
    const own = tenants.get(tenantId) ?? pLimit(Math.max(1, places - 1));
    tenants.set(tenantId, own);
    return own(() => everybody(act));
  };
}

// How long an act may wait for a store. A store is often somebody else's machine, and who waits for it holds a place at the
// gate or a worker that other tenants need.

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
