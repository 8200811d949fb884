/** Shared by the operations on analyses. */

import { withinTime } from '../../waiting.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Settings } from '../../contract/config.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Limits } from '../../image/picture.ts';
import type { Clocked, Db } from '../../ports/db/database.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { StoreRef, Stores } from '../../ports/storage/stores.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import type { Principal } from '../access/principal.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import { hash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { evidenceDamaged, failure, hasCode, storeUnavailable } from '../../contract/errors.ts';
import { readRecorded } from './custody.ts';
import { examinations } from '../../ports/db/schema.ts';
import { examinationSha256, fromRow, isInAgreement } from './examination-row.ts';
import { noteReplacedInput, type Replacement } from './lifecycle/worker.ts';
import type { AnalysisRow, Target } from './rows.ts';

export interface AnalysesOptions extends Clocked {
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly stores: Stores;
  readonly sandbox: Pick<Sandbox, 'examine' | 'render' | 'layBeside'>;
  /** Known image models; the first is the default. */
  readonly models: readonly { readonly id: string; readonly version: string }[];
  /** Error rates on the operator's own pictures, cited by reports; null for none. */
  readonly validation?: OwnValidation | null;
  /** MD5, in lower-case hex, of the pictures that trial tenants may analyse. */
  readonly trialMd5s: readonly string[];
  readonly limits: Limits;
  readonly retention: Pick<Settings, 'retentionDays' | 'deletedRetentionDays'>;
  /** Longest total time an operation waits for a store; 60 s by default. */
  readonly storeWaitMs?: number;
  /** Receives errors that do not affect a response, such as an object that could not be deleted. */
  readonly onError?: (error: unknown) => void;
  /** Called for automatic actions. Receives only this program's own words and numbers. */
  readonly onNotice?: (what: string, facts: Notice) => void;
}

export type Notice = Readonly<Record<string, string | number>>;

export interface Context extends Required<AnalysesOptions> {
  /** Wraps whatever keeps a picture in memory for a client's request. The number of workers limits runs. */
  readonly semaphore: ReturnType<typeof createSemaphore>;
}

/** The principal and tenant of an operation; the access module has checked the permission. */
export interface Caller {
  readonly principal: Principal;
  readonly tenant: Tenant;
  /** A repeated request with the same key is carried out only once. */
  readonly idempotencyKey?: string | null;
}

/**
 * Runs a few operations at a time while the others wait, because each holds a whole picture in memory. No tenant gets
 * the last permit, so a store that does not respond delays only its own tenant.
 *
 * @param permits - maximum number of concurrent operations, at least 1; the others start in order of arrival.
 */
export function createSemaphore(permits: number) {
  const everybody = pLimit(permits);
  const tenants = new Map<string, LimitFunction>();
  return <T>(tenantId: string, act: () => Promise<T>): Promise<T> => {
    const own = tenants.get(tenantId) ?? pLimit(Math.max(1, permits - 1));
    tenants.set(tenantId, own);
    return own(() => everybody(act));
  };
}

/**
 * Opens the store for one operation, whose calls to it may take `storeWaitMs` in total. A store is often on someone
 * else's machine, and an operation waiting for it occupies a semaphore permit or a worker that other tenants need.
 */
export async function openInTime(
  { stores, storeWaitMs }: Pick<Context, 'stores' | 'storeWaitMs'>,
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
    // Clean-up is allowed even after the operation was stopped.
    delete: (key) => ask(() => store.delete(key)),
    presign: (key, now) => store.presign(key, now),
  };
}

/** Counts only the time during which a call is in progress; concurrent calls count once. */
function createTimeBudget(ms: number) {
  let leftMs = ms;
  let underWay = 0;
  let since = 0;

  return async <T>(act: () => Promise<T>, end?: AbortSignal): Promise<T> => {
    end?.throwIfAborted();
    if (underWay === 0) since = performance.now();
    const stillMs = leftMs - (performance.now() - since);
    if (stillMs <= 0) tooSlow();
    underWay++;
    try {
      return await withinTime(act(), stillMs, tooSlow, end);
    } finally {
      underWay--;
      if (underWay === 0) leftMs -= performance.now() - since;
    }
  };
}

/** The store client's own limits end the call itself. */
function tooSlow(): never {
  throw storeUnavailable('The store did not respond in time; try again later.');
}

// The bytes ingested at the start, and whether the client has replaced its upload since.

export interface StoredAnalysis {
  readonly row: AnalysisRow;
  readonly store: BlobStore;
}

/** The bytes ingested at the start, verified. @throws {ForensicsError} `evidence_damaged`; `store_unavailable`. */
export async function readEvidence(
  { limits }: Pick<Context, 'limits'>,
  { row, store }: StoredAnalysis,
): Promise<Uint8Array> {
  if (row.evidenceKey === null) throw failure('copy_damaged', {});
  const bytes = await store.read(row.evidenceKey, limits.maxBytes).catch((error: unknown) => {
    if (hasCode(error, 'blob_not_found')) throw failure('copy_damaged', {}, { cause: error });
    throw error;
  });
  if (hash('sha256', bytes) !== row.evidenceSha256) throw failure('copy_damaged', {});
  return bytes;
}

/** Records whether the upload was replaced after the start. A store that fails is only reported to `onError`. */
export async function checkUpload(context: Context, kept: StoredAnalysis): Promise<boolean> {
  const { id: analysisId, tenantId, inputReplacedAt } = kept.row;
  if (inputReplacedAt !== null) return true;
  const replacement = await findReplacement(context, kept).catch((error: unknown) => {
    context.onError(error);
    return null;
  });
  if (replacement === null) return false;
  await noteReplacedInput(context, { tenantId, analysisId }, replacement);
  context.onNotice('upload-replaced', { tenantId, analysisId });
  return true;
}

/** A deleted upload does not count as replaced: clients may delete it. */
async function findReplacement(
  { limits }: Pick<Context, 'limits'>,
  { row, store }: StoredAnalysis,
): Promise<Replacement | null> {
  const info = await store.head(row.inputKey);
  if (info === null || info.etag === row.inputEtag) return null;
  // The object was written again, perhaps with the same bytes.
  try {
    const sha256 = hash('sha256', await store.read(row.inputKey, limits.maxBytes));
    return sha256 === row.evidenceSha256 ? null : { sha256 };
  } catch (error) {
    if (hasCode(error, 'blob_not_found')) return null;
    if (hasCode(error, 'blob_too_large')) return { sha256: null };
    throw error;
  }
}

/**
 * Loads the whole examination, verified against the log; null if the analysis has none. An examination older than the
 * log is accepted without this check.
 *
 * @throws {ForensicsError} `evidence_damaged` if the row has been changed since.
 */
export async function loadRecorded(db: Db, target: Target) {
  const isOfIt = eq(examinations.analysisId, target.analysisId);
  // A snapshot, so that no other process upgrades it between reading the row and reading the log.
  return db.snapshot(async (reader) => {
    const row = await reader.select().from(examinations).where(isOfIt).get();
    if (row === undefined) return null;
    // The log has the hash and time of the examination. The columns used for responses must agree with both.
    const { examination, examinedAt } = await readRecorded(reader, target);
    const isSame = examination === null || examination === examinationSha256(row);
    const isOfThatTime = examinedAt === null || examinedAt.getTime() === row.examinedAt.getTime();
    if (!isSame || !isOfThatTime || !isInAgreement(row)) {
      throw evidenceDamaged(
        'The stored result is not the one recorded in the audit log; restore the database from a backup, or create a new analysis.',
      );
    }
    return fromRow(row);
  });
}
