import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/store.ts';
import { ForensicsError } from '../errors.ts';
import type { Context } from './context.ts';
import type { AnalysisRow } from './rows.ts';

/**
 * The bytes that were taken in at the start, proven to be the same.
 *
 * @throws {ForensicsError} `evidence_damaged` when they are gone or changed; `store_unavailable`.
 */
export async function readEvidence(
  { limits }: Pick<Context, 'limits'>,
  { row, store }: { readonly row: AnalysisRow; readonly store: BlobStore },
): Promise<Uint8Array> {
  if (row.evidenceKey === null) throw damaged();
  const bytes = await store.read(row.evidenceKey, limits.maxBytes).catch((error: unknown) => {
    if (error instanceof ForensicsError && error.code === 'blob_not_found') throw damaged(error);
    throw error;
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== row.evidenceSha256) throw damaged();
  return bytes;
}

function damaged(cause?: unknown): ForensicsError {
  return new ForensicsError(
    'evidence_damaged',
    'The stored copy of the picture is missing or was changed; create a new analysis and upload the picture again.',
    { cause },
  );
}
