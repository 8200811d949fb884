/** The bytes that were taken in at the start, and whether the client has put others in the place of its upload since. */

import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/store.ts';
import { ForensicsError } from '../errors.ts';
import type { Context } from './context.ts';
import type { AnalysisRow } from './rows.ts';
import type { Replacement } from './run-acts.ts';

interface Kept {
  readonly row: AnalysisRow;
  readonly store: BlobStore;
}

/**
 * The bytes that were taken in at the start, proven to be the same.
 *
 * @throws {ForensicsError} `evidence_damaged` when they are gone or changed; `store_unavailable`.
 */
export async function readEvidence(
  { limits }: Pick<Context, 'limits'>,
  { row, store }: Kept,
): Promise<Uint8Array> {
  if (row.evidenceKey === null) throw damaged();
  const bytes = await store.read(row.evidenceKey, limits.maxBytes).catch((error: unknown) => {
    if (codeOf(error) === 'blob_not_found') throw damaged(error);
    throw error;
  });
  if (sha256Of(bytes) !== row.evidenceSha256) throw damaged();
  return bytes;
}

/**
 * Looks whether the upload was replaced after the start, and notes it in the row. The result does not depend on it, so a
 * store that does not answer is told to `onError` and counts as no.
 */
export async function checkUpload(context: Context, kept: Kept): Promise<boolean> {
  const { id: analysisId, tenantId, inputReplacedAt } = kept.row;
  if (inputReplacedAt !== null) return true;
  const replacement = await findReplacement(context, kept).catch((error: unknown) => {
    context.onError(error);
    return null;
  });
  if (replacement === null) return false;
  context.lifecycle.noteReplacedInput({ tenantId, analysisId }, replacement);
  context.onNotice('upload-replaced', { tenantId, analysisId });
  return true;
}

/** An upload that was deleted was not replaced: the client may do that. */
async function findReplacement(
  { limits }: Pick<Context, 'limits'>,
  { row, store }: Kept,
): Promise<Replacement | null> {
  const info = await store.head(row.inputKey);
  if (info === null || info.etag === row.inputEtag) return null;
  // Written again; perhaps with the same bytes.
  try {
    const sha256 = sha256Of(await store.read(row.inputKey, limits.maxBytes));
    return sha256 === row.evidenceSha256 ? null : { sha256 };
  } catch (error) {
    if (codeOf(error) === 'blob_not_found') return null;
    if (codeOf(error) === 'blob_too_large') return { sha256: null };
    throw error;
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function codeOf(error: unknown): string | null {
  return error instanceof ForensicsError ? error.code : null;
}

function damaged(cause?: unknown): ForensicsError {
  return new ForensicsError(
    'evidence_damaged',
    'The stored copy of the picture is missing or was changed; create a new analysis and upload the picture again.',
    { cause },
  );
}
