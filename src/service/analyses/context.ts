/** What the acts of this room share. */

import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { ForensicsError } from '../../errors.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Limits } from '../../image/picture.ts';
import type { Db } from '../../ports/db/database.ts';
import type { Repeatable } from '../idempotency.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { StoreRef, Stores } from '../../ports/storage/stores.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import type { Principal } from '../access/principal.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { Outbox } from '../webhooks/outbox.ts';

export interface AnalysesOptions {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly stores: Stores;
  readonly sandbox: Pick<Sandbox, 'examine' | 'render'>;
  /** Known image models; the first is the default. */
  readonly models: readonly { readonly id: string; readonly version: string }[];
  /** Error rates on the operator's own pictures that reports cite; null for none. */
  readonly validation?: OwnValidation | null;
  /** Lower-case hex MD5 of the pictures that trial tenants may analyse. */
  readonly trialMd5s: readonly string[];
  readonly limits: Limits;
  readonly retention: RetentionRules;
  readonly now: () => Date;
  /** How long an act waits for a store in total; default 60 s. */
  readonly storeWaitMs?: number;
  /** Told about trouble that changes no answer, such as an object that could not be cleaned up. */
  readonly onError?: (error: unknown) => void;
  /** Told what was done without a caller, in words of this program and numbers. */
  readonly onNotice?: (what: string, facts: Notice) => void;
}

interface RetentionRules {
  /** Days after its last change that an analysis is deleted; 0 keeps it. */
  readonly retentionDays: number;
  /** Days that a deleted analysis is stored. */
  readonly deletedRetentionDays: number;
}

export type Notice = Readonly<Record<string, string | number>>;

export interface Context extends Required<AnalysesOptions> {
  /** Around everything that holds a picture for a client's call; runs are bounded by their workers. */
  readonly semaphore: Semaphore;
  /** Upgrades that this process is drawing: a picture is drawn once however many calls come together. */
  readonly upgrading: Set<string>;
}

/** On whose behalf an act is done, and for which tenant; the access room has checked that this is allowed. */
export interface Caller {
  readonly principal: Principal;
  readonly tenant: Tenant;
  /** The same request under the same key acts once. */
  readonly idempotencyKey?: string | null;
}

/** What is remembered of a request that carries an Idempotency-Key; null for one without. */
export function toRepeatable(
  { tenant, idempotencyKey }: Caller,
  request: { readonly act: string } & Readonly<Record<string, unknown>>,
  at: Date,
): Repeatable | null {
  if (idempotencyKey == null) return null;
  return { tenantId: tenant.id, key: idempotencyKey, request, at };
}

/**
 * Runs a few acts at a time while the others wait: each holds a whole picture in memory. No tenant gets the
 * last permit: a store that does not answer holds up its own tenant alone.
 */
type Semaphore = <T>(tenantId: string, act: () => Promise<T>) => Promise<T>;

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
