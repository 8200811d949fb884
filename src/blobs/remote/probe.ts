import { randomBytes, randomUUID } from 'node:crypto';
import { ForensicsError } from '../../errors.ts';
import type { BlobStore } from '../store.ts';

/** Another one each time: two probes at once must not meet. */
export function probeKey(): string {
  return `forensics-probe/${randomUUID()}`;
}

/**
 * Does with a small object what the service will do with pictures.
 *
 * @throws {ForensicsError} `store_refused`, `store_unavailable`.
 */
export async function probeStore(
  store: Pick<BlobStore, 'put' | 'read' | 'delete' | 'head'>,
): Promise<void> {
  const key = probeKey();
  const bytes = randomBytes(64);
  await store.put(key, bytes);
  let read: Uint8Array;
  try {
    read = await store.read(key, bytes.length);
  } finally {
    await store.delete(key);
  }
  if (!bytes.equals(read)) throw isDifferent();
  // What is missing must be told from what is forbidden, which S3 does only for those who may list the bucket.
  await store.head(key);
}

function isDifferent(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The store gave back other bytes than were written; check what stands between it and this server.',
  );
}
