/**
 * Creates, starts and retries analyses. At the start, the upload is read once, checked from its header,
 * hashed, and copied to where no client can reach it. Pixels are not touched here: only the
 * sandbox's child processes decode a possibly hostile file.
 */

import { hash, randomBytes } from 'node:crypto';
import { Value } from 'typebox/value';
import type { Tenant } from '../tenants/tenants.ts';
import {
  conflict,
  failure,
  ForensicsError,
  invalidRequest,
  modelNotFound,
  toForensicsError,
} from '../../contract/errors.ts';
import { defaultSeed, mediaTypes } from '../../contract/vocabulary.ts';
import { checkSizeBytes, openContainer } from '../../image/container.ts';
import { describeContent, sniffFormat, sniffOther } from '../../image/file-kind.ts';
import { uprightSize } from '../../image/orientation.ts';
import type { Limits } from '../../image/picture.ts';
import { recall, toRepeatable } from '../idempotency.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import {
  type Analysis,
  type AnalysisOptions,
  type CreateRequest,
  givenOptions,
} from '../../contract/analysis.ts';
import { foldText, newId } from '../../ports/db/database.ts';
import {
  type Caller,
  checkUpload,
  type Context,
  loadRecorded,
  openInTime,
  readEvidence,
  type StoredAnalysis,
} from './context.ts';
import {
  type Act,
  assertStartable,
  type EvidenceCopy,
  messages,
  notRetryable,
} from './lifecycle/changes.ts';
import {
  insertAnalysis,
  queueRun,
  rejectUpload,
  restartRun,
  upgradeTier,
} from './lifecycle/client.ts';
import { discardUnlessUsed, reserveKeys } from './orphan-objects.ts';
import { type AnalysisRow, foldDescription, getRow } from './rows.ts';
import { outputKeys } from './examination-row.ts';
import { renderInto } from './render.ts';
import { getAnalysis, toOptions } from './view.ts';

/**
 * Of two concurrent starts, one wins.
 *
 * @throws {ForensicsError} `analysis_not_found`, `analysis_not_pending`, `upload_missing` (stays pending); `image_*`,
 *   `trial_image_mismatch` (now failed); `store_unavailable`, `store_refused`, `no_space_left`.
 */
export async function startAnalysis(context: Context, caller: Caller, analysisId: string) {
  const { db, now } = context;
  const { tenant, principal } = caller;
  const repeatable = repeatableIn(caller, { act: 'start', analysisId }, now());
  const act: Act = { tenantId: tenant.id, analysisId, actor: principal, repeatable };
  // Read before the recall, which then finds a repeat that another process handles in between.
  const row = await getRow(db, act);
  if ((await recall(db, repeatable)) !== null) return;
  assertStartable(row);
  const store = await openInTime(context, row);
  const ingest = context.semaphore(tenant.id, () => ingestUpload(context, { row, tenant, store }));
  const evidence = await ingest.catch(async (error: unknown) => {
    if (isPictureError(error)) await rejectUpload(context, act, error);
    throw error;
  });
  await discardUnlessUsed(context, { store, keys: [evidence.key] }, () =>
    queueRun(context, act, evidence),
  );
}

function repeatableIn({ tenant, idempotencyKey }: Caller, request: object, at: Date) {
  return toRepeatable(idempotencyKey, { tenantId: tenant.id, request, at });
}

interface Upload extends StoredAnalysis {
  readonly tenant: Tenant;
}

/** @returns where the copy is. It has no owner until it is written into a row. */
async function ingestUpload(context: Context, upload: Upload): Promise<EvidenceCopy> {
  return copyUpload(context, upload).catch((error: unknown) => {
    if (!isPictureError(error)) throw error;
    const { code, message, reason } = error;
    throw new ForensicsError(code, `${message} ${messages.refused}`, { cause: error, reason });
  });
}

async function copyUpload(context: Context, { row, tenant, store }: Upload): Promise<EvidenceCopy> {
  const { limits, trialMd5s } = context;
  const { bytes, etag } = await readUpload(store, row, limits);
  const md5 = hash('md5', bytes);
  if (tenant.isTrial && !trialMd5s.includes(md5)) throw failure('trial_only', {});
  checkHeader(bytes, row, limits);
  // Random, so that the key cannot be worked out from the analysis.
  const key = `evidence/${randomBytes(16).toString('hex')}`;
  await reserveKeys(context, { place: row, keys: [key] });
  await store.put(key, bytes, { contentType: mediaTypes[row.format] });
  const sha256 = hash('sha256', bytes);
  return { key, sha256, md5, sizeBytes: bytes.length, inputEtag: etag };
}

/** Whether the picture itself is at fault, so that trying the same bytes again cannot help. */
export function isPictureError(error: unknown): error is ForensicsError {
  if (!(error instanceof ForensicsError)) return false;
  return error.code.startsWith('image_') || error.code === 'trial_image_mismatch';
}

async function readUpload(store: BlobStore, row: AnalysisRow, limits: Limits) {
  const info = await store.head(row.inputKey);
  if (info === null) {
    throw new ForensicsError('upload_missing', 'Upload the picture to putUrl, then start again.');
  }
  checkSizeBytes(info.sizeBytes, limits);
  const bytes = await store.read(row.inputKey, limits.maxBytes).catch((error: unknown) => {
    const { code } = toForensicsError(error);
    // The upload existed a moment ago, and was not too large then.
    if (code !== 'blob_not_found' && code !== 'blob_too_large') throw error;
    throw new ForensicsError(
      'upload_missing',
      'The upload was replaced or deleted while it was being read; upload the picture, then start again.',
      { cause: error },
    );
  });
  // The object may have been replaced since its size was read.
  checkSizeBytes(bytes.length, limits);
  // This ETag was read first. If the object was replaced in between, it will not match, and the bytes are compared.
  return { bytes, etag: info.etag };
}

function checkHeader(bytes: Uint8Array, row: AnalysisRow, limits: Limits): void {
  const format = sniffFormat(bytes);
  if (format === null || format !== row.format) {
    const what = `it is ${describeContent(bytes)}, not ${row.format}`;
    const found = format ?? sniffOther(bytes).kind;
    throw failure('not_as_declared', { what, declared: row.format, found });
  }
  const { file } = openContainer(bytes, limits);
  const { width, height } = file;
  // The client may have measured before or after a rotation by EXIF.
  const sizes = [file, uprightSize(file)];
  if (sizes.some((size) => size.width === row.width && size.height === row.height)) return;
  const [declared, found] = [`${row.width} x ${row.height}`, `${width} x ${height}`];
  const what = `it is ${found} pixels, not ${declared}`;
  throw failure('not_as_declared', { what, declared, found });
}

// A retry runs a failed analysis again, or upgrades a completed one to the higher tier.

export interface RetryRequest {
  readonly id: string;
  /** A partial AnalysisOptions as the client sent it, unchecked. */
  readonly options: unknown;
}

/**
 * Runs a failed analysis again, or upgrades a completed one without inference.
 *
 * @throws {ForensicsError} `invalid_request`, `model_not_found`, `analysis_not_found`, `tier_downgrade`,
 *   `analysis_not_retryable`; as `startAnalysis`.
 */
export async function retryAnalysis(
  context: Context,
  caller: Caller,
  { id, options }: RetryRequest,
): Promise<Analysis> {
  const { db, models, now } = context;
  const { tenant, principal } = caller;
  const repeatable = repeatableIn(caller, { act: 'retry', id, options }, now());
  const act: Act = { tenantId: tenant.id, analysisId: id, actor: principal, repeatable };
  const row = await getRow(db, act);
  if ((await recall(db, repeatable)) === null) {
    const current = toOptions(row);
    const merged = mergeOptions(current, options, models);
    if (current.tier !== 'flagging' && merged.tier !== 'forensicReporting') {
      throw new ForensicsError(
        'tier_downgrade',
        'An analysis with the forensicReporting tier cannot go back to flagging; leave options.tier out.',
      );
    }
    if (row.status === 'failed') await restart(context, { act, row, tenant, options: merged });
    else if (isUpgrade(row, merged)) await upgrade(context, { act, row });
    else throw notRetryable(row);
  }
  return getAnalysis(context, caller, id);
}

interface Retry {
  readonly act: Act;
  readonly row: AnalysisRow;
  readonly tenant: Tenant;
  readonly options: AnalysisOptions;
}

async function restart(context: Context, { act, row, tenant, options }: Retry): Promise<void> {
  assertKnownModel(options.model, context.models);
  const store = await openInTime(context, row);
  // Without a copy, the upload was rejected; the current object must pass the same checks and the trial rule.
  const ingest = () => ingestUpload(context, { row, tenant, store });
  const evidence = row.evidenceKey === null ? await context.semaphore(tenant.id, ingest) : null;
  const modelVersion = context.models.find(({ id }) => id === options.model)!.version;
  await discardUnlessUsed(context, { store, keys: evidence === null ? [] : [evidence.key] }, () =>
    restartRun(context, act, { options, modelVersion, evidence, seen: row }),
  );
}

async function upgrade(context: Context, { act, row }: Pick<Retry, 'act' | 'row'>): Promise<void> {
  const stored = await loadRecorded(context.db, act);
  if (stored === null) throw new TypeError('a completed analysis has no examination');
  const store = await openInTime(context, row);
  const drawn = await context.semaphore(row.tenantId, async () => {
    const bytes = await readEvidence(context, { row, store });
    const isUploadReplaced = await checkUpload(context, { row, store });
    const draw = () => renderInto(context, { row, store, bytes, isUploadReplaced, ...stored });
    return draw().catch((error: unknown) => {
      // A child killed from outside is replaced, and the retry succeeds; a picture that crashes it does so again.
      if (toForensicsError(error).code === 'inference_crashed') return draw();
      throw error;
    });
  });
  await discardUnlessUsed(context, { store, keys: outputKeys(drawn.rendered) }, () =>
    upgradeTier(context, act, drawn),
  );
}

/** Only the tier may differ, because the result was obtained with the other options and is not computed again. */
function isUpgrade(row: AnalysisRow, merged: AnalysisOptions): boolean {
  const { model, decisionStrategy, tier, seed } = merged;
  const isSame =
    model === row.model && decisionStrategy === row.decisionStrategy && seed === row.seed;
  return row.status === 'completed' && tier !== row.tier && isSame;
}

/** @throws {ForensicsError} `invalid_request`, `model_not_found`, `store_unavailable`, `conflict` for a misused key. */
export async function createAnalysis(
  context: Context,
  caller: Caller,
  request: CreateRequest,
): Promise<Analysis> {
  const { models, stores, now } = context;
  const { principal, tenant } = caller;
  const options = mergeOptions(defaultOptions(models), request.input.options, models);
  const { store, configId } = await stores.current(tenant.id);
  const { name, comment = '', tags = [], projectId = null, caseData = null, input } = request;
  const createdAt = now();
  const id = newId(createdAt);
  const row = {
    id,
    tenantId: tenant.id,
    projectId,
    name,
    nameFolded: foldText(name),
    comment,
    commentFolded: foldDescription({ comment, projectId, caseData, tags }),
    tags,
    caseData,
    storageType: store.type,
    storageConfigId: configId,
    format: input.format,
    width: input.width,
    height: input.height,
    filename: input.filename,
    inputKey: `analyses/${id}/input.${input.format}`,
    ...options,
    modelVersion: models.find((model) => model.id === options.model)!.version,
    status: 'pending',
    statusMessage: messages.created,
    retryCount: 0,
    createdAt,
    createdByType: principal.type,
    createdById: principal.id,
    lastChangedByType: principal.type,
    lastChangedById: principal.id,
  } as const;
  const repeatable = repeatableIn(caller, { act: 'create', request }, now());
  const analysisId = await insertAnalysis(context, row, { actor: principal, repeatable });
  return getAnalysis(context, caller, analysisId).catch((cause: unknown) => {
    if (analysisId === id) throw cause;
    throw conflict(
      'The analysis of this Idempotency-Key was deleted; send a new Idempotency-Key.',
      { cause },
    );
  });
}

/** The options of every new analysis, unless others are given. */
function defaultOptions(models: readonly { readonly id: string }[]): AnalysisOptions {
  const [first] = models;
  if (first === undefined) throw new RangeError('the list of models is empty');
  return { model: first.id, decisionStrategy: 'default', tier: 'flagging', seed: defaultSeed };
}

/** @throws {ForensicsError} `invalid_request` for an unknown field or an invalid value, `model_not_found`. */
function mergeOptions(
  base: AnalysisOptions,
  given: unknown,
  models: readonly { readonly id: string }[],
): AnalysisOptions {
  if (!Value.Check(givenOptions, given)) {
    throw invalidRequest(
      'options may contain model, decisionStrategy, tier and seed, each with a value that the API description allows.',
    );
  }
  const options = { ...base, ...given };
  // An upgrade keeps the model of its result, which this version may no longer have.
  if (options.model !== base.model) assertKnownModel(options.model, models);
  return options;
}

/** @throws {ForensicsError} `model_not_found`. */
function assertKnownModel(model: string, models: readonly { readonly id: string }[]): void {
  const known = models.map(({ id }) => id);
  if (known.includes(model)) return;
  throw modelNotFound(`Model not found; options.model can be ${known.join(', ')}.`);
}
