/**
 * Takes an uploaded picture in: read once, checked from its header, hashed, and copied to where no client can reach it.
 * Pixels are not touched here; a hostile file is decoded in the sandbox's children alone.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Tenant } from '../tenants/tenants.ts';
import { ForensicsError } from '../../errors.ts';
import { orientationIn } from '../../image/container.ts';
import { readJpeg } from '../../image/jpeg-structure.ts';
import { isQuarterTurn } from '../../image/orientation.ts';
import {
  checkDimensions,
  checkSizeBytes,
  describeContent,
  type Format,
  type Limits,
  sniffFormat,
} from '../../image/picture.ts';
import { readPngSize } from '../../image/png.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { Context } from './analyses.ts';
import { type EvidenceCopy, messages } from './lifecycle/transition.ts';
import { reserveKeys } from './orphan-objects.ts';
import type { AnalysisRow } from './rows.ts';

type Needs = Pick<Context, 'db' | 'now' | 'limits' | 'trialMd5s'>;

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
export async function ingestUpload(context: Needs, upload: Upload): Promise<EvidenceCopy> {
  return copyUpload(context, upload).catch((error: unknown) => {
    if (!isPictureError(error)) throw error;
    throw new ForensicsError(error.code, `${error.message} ${messages.refused}`, { cause: error });
  });
}

async function copyUpload(context: Needs, { row, tenant, store }: Upload): Promise<EvidenceCopy> {
  const { limits, trialMd5s } = context;
  const { bytes, etag } = await readUpload(store, row, limits);
  const md5 = digest('md5', bytes);
  if (tenant.isTrial && !trialMd5s.includes(md5)) throw trialMismatch();
  checkHeader(bytes, row, limits);
  // Random, so that knowing the analysis does not lead to the copy.
  const key = `evidence/${randomBytes(16).toString('hex')}`;
  await reserveKeys(context, { place: row, keys: [key] });
  await store.put(key, bytes, { contentType: contentTypes[row.format] });
  const sha256 = digest('sha256', bytes);
  return { key, sha256, md5, sizeBytes: bytes.length, inputEtag: etag };
}

/** True for errors of the picture itself: trying the same bytes again cannot help. */
export function isPictureError(error: unknown): error is ForensicsError {
  if (!(error instanceof ForensicsError)) return false;
  return error.code.startsWith('image_') || error.code === 'trial_image_mismatch';
}

const contentTypes = { jpg: 'image/jpeg', png: 'image/png' } as const satisfies Record<
  Format,
  string
>;

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
  if (format !== row.format) {
    throw notAsDeclared(`it is ${describeContent(bytes)}, not ${row.format}`);
  }
  const { width, height } = format === 'jpg' ? readJpeg(bytes) : readPngSize(bytes);
  checkDimensions(width, height, limits);
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
