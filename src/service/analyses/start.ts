/**
 * The start of an analysis: its upload is read once, checked from its header, hashed, and copied to where no client can
 * reach it. Pixels are not touched here; a hostile file is decoded in the sandbox's children alone.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Tenant } from '../tenants/tenants.ts';
import { ForensicsError } from '../../errors.ts';
import { mediaTypes } from '../../contract/formats.ts';
import { openContainer, orientationIn } from '../../image/container.ts';
import { describeContent, sniffFormat } from '../../image/file-kind.ts';
import { isQuarterTurn } from '../../image/orientation.ts';
import { checkSizeBytes, type Limits } from '../../image/picture.ts';
import { recall } from '../idempotency.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { type Caller, type Context, openInTime, toRepeatable } from './context.ts';
import { type Act, assertStartable, type EvidenceCopy, messages } from './lifecycle/changes.ts';
import { queueRun, rejectUpload } from './lifecycle/client.ts';
import { discardObjects, reserveKeys } from './orphan-objects.ts';
import { type AnalysisRow, getRow } from './rows.ts';

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
  const { db, now } = context;
  const { tenant, principal } = caller;
  const repeatable = toRepeatable(caller, { act: 'start', analysisId }, now());
  const act: Act = { tenantId: tenant.id, analysisId, actor: principal, repeatable };
  if ((await recall(db, repeatable)) !== null) return;
  const row = await getRow(db, act);
  assertStartable(row);
  const store = await openInTime(context, row);
  const ingest = context.semaphore(tenant.id, () => ingestUpload(context, { row, tenant, store }));
  const evidence = await ingest.catch(async (error: unknown) => {
    if (isPictureError(error)) await rejectUpload(context, act, error);
    throw error;
  });
  let isUsed = false;
  try {
    isUsed = await queueRun(context, act, evidence);
  } finally {
    if (!isUsed) await discardObjects(context, { store, keys: [evidence.key] });
  }
}

interface Upload {
  readonly row: AnalysisRow;
  readonly tenant: Tenant;
  readonly store: BlobStore;
}

/**
 * @returns where the copy lies. It has no owner until an act has written it into a row.
 * @throws {ForensicsError} `upload_missing`; `image_*` and `trial_image_mismatch` for what can never be analysed, with
 * what the client can do about it.
 */
export async function ingestUpload(context: Context, upload: Upload): Promise<EvidenceCopy> {
  return copyUpload(context, upload).catch((error: unknown) => {
    if (!isPictureError(error)) throw error;
    throw new ForensicsError(error.code, `${error.message} ${messages.refused}`, { cause: error });
  });
}

async function copyUpload(context: Context, { row, tenant, store }: Upload): Promise<EvidenceCopy> {
  const { limits, trialMd5s } = context;
  const { bytes, etag } = await readUpload(store, row, limits);
  const md5 = digest('md5', bytes);
  if (tenant.isTrial && !trialMd5s.includes(md5)) throw trialMismatch();
  checkHeader(bytes, row, limits);
  // Random, so that knowing the analysis does not lead to the copy.
  const key = `evidence/${randomBytes(16).toString('hex')}`;
  await reserveKeys(context, { place: row, keys: [key] });
  await store.put(key, bytes, { contentType: mediaTypes[row.format] });
  const sha256 = digest('sha256', bytes);
  return { key, sha256, md5, sizeBytes: bytes.length, inputEtag: etag };
}

/** True for errors of the picture itself: trying the same bytes again cannot help. */
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
    throw isGone(error) ? changedMeanwhile(error) : error;
  });
  // The object may have been replaced since its size was read.
  checkSizeBytes(bytes.length, limits);
  // The ETag of before: if it was replaced in between, it will not match, and the bytes are compared.
  return { bytes, etag: info.etag };
}

/** It was there a moment ago, and no larger than it may be. */
function isGone(error: unknown): boolean {
  if (!(error instanceof ForensicsError)) return false;
  return error.code === 'blob_not_found' || error.code === 'blob_too_large';
}

function changedMeanwhile(cause: unknown): ForensicsError {
  return new ForensicsError(
    'upload_missing',
    'The upload was replaced or deleted while it was read; upload the picture, then start again.',
    { cause },
  );
}

function checkHeader(bytes: Uint8Array, row: AnalysisRow, limits: Limits): void {
  const format = sniffFormat(bytes);
  if (format === null || format !== row.format) {
    throw notAsDeclared(`it is ${describeContent(bytes)}, not ${row.format}`);
  }
  const { storedWidth: width, storedHeight: height } = openContainer(bytes, limits).container.facts;
  if (width === row.width && height === row.height) return;
  // EXIF may rotate the picture by a quarter; the client may have measured after that.
  const isSwapped = width === row.height && height === row.width;
  if (isSwapped && isQuarterTurn(orientationIn(bytes, format))) return;
  throw notAsDeclared(`it has ${width} x ${height} pixels, not ${row.width} x ${row.height}`);
}

function notAsDeclared(what: string): ForensicsError {
  return new ForensicsError(
    'image_not_as_declared',
    `The uploaded picture is not what was declared: ${what}.`,
  );
}

function trialMismatch(): ForensicsError {
  return new ForensicsError(
    'trial_image_mismatch',
    'A trial tenant can analyse only the two approved trial pictures, real.jpg and fake.jpg; this is neither.',
  );
}

function digest(algorithm: 'md5' | 'sha256', bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
