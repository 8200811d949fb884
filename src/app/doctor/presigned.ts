import { randomBytes } from 'node:crypto';
import { probeKey } from '../../blobs/remote/probe.ts';
import { ForensicsError } from '../../errors.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import type { StoreToCheck } from './store.ts';
import type { MakeVisit, Visit } from './visit.ts';
import type { StorageType } from '../../contract/vocabulary.ts';

/** What a client must send with an upload, beside the bytes. */
export function uploadHeaders(type: StorageType): Readonly<Record<string, string>> {
  const contentType = { 'content-type': 'application/octet-stream' };
  return type === 'azure' ? { ...contentType, 'x-ms-blob-type': 'BlockBlob' } : contentType;
}

/** A warning when there is nobody to be asked, and that may well be so. */
export async function checkPresigned(target: StoreToCheck): Promise<Diagnosis> {
  const { tenant, store, visit, fixes, unreached, now } = target;
  const { ok, warning, failed } = diagnose('presigned URLs', tenant);
  const key = probeKey();
  const body = randomBytes(64);
  const { putUrl, getUrl, deleteUrl } = store.presign(key, now());
  try {
    const headers = uploadHeaders(store.type);
    await expectDone(visit, { method: 'PUT', url: putUrl, headers, body });
    const read = await expectDone(visit, { method: 'GET', url: getUrl });
    await expectDone(visit, { method: 'DELETE', url: deleteUrl });
    if (!read.equals(body))
      return failed('What was downloaded is not what was uploaded.', fixes.presigned);
    return ok('Upload, download and deletion through them work.');
  } catch (error) {
    if (unreached !== null && isUnreached(error)) return warning(unreached.message, unreached.fix);
    return failed(messageOf(error), fixes.presigned);
  } finally {
    // What was written and could not be deleted from outside.
    await store.delete(key).catch(() => undefined);
  }
}

async function expectDone(visit: MakeVisit, what: Visit): Promise<Buffer> {
  const { status, body } = await visit(what);
  if (status >= 200 && status < 300) return body;
  throw new ForensicsError(
    'store_refused',
    `${what.method} through a presigned URL was answered with HTTP ${status}.`,
  );
}

function isUnreached(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'store_unavailable';
}
