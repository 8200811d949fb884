/** Does with one store what the service and its clients do: writes, reads, uses presigned URLs and sends preflight requests. */

import { randomBytes } from 'node:crypto';
import { hasCode, ForensicsError } from '../../contract/errors.ts';
import {
  gatherAnswer,
  probeKey,
  probeStore,
  connectionFailure,
  createAgent,
  sendRequest,
  type RemoteSettings,
} from '../../ports/storage/remote/http.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { diagnose, type Diagnosis, messageOf } from './installation.ts';

export async function checkStore(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const { ok, failed } = diagnose('store', target.tenant);
  try {
    await probeStore(target.store);
  } catch (error) {
    // Stores reject every request when the clock is far off.
    const clock = hasCode(error, 'store_refused') ? await checkClock(target) : [];
    return [failed(messageOf(error), target.fixes.access), ...clock];
  }
  const access = ok('An object was written, read and deleted.');
  const presigned = await checkPresigned(target);
  // The store is unreachable, so the other checks would fail too.
  if (presigned.state === 'warning') return [access, presigned];
  const rest = await Promise.all([checkCors(target), checkClock(target)]);
  return [access, presigned, ...rest.flat()];
}

/** The Date header is given in whole seconds. */
const halfSecondMs = 500;
const warnAboveMs = 60_000;
// AWS Signature Version 4 tolerates a clock difference of 15 minutes.
const failAboveMs = 15 * 60_000;

/** Reads the time that every response of a store carries. Other checks report a store that does not respond. */
async function checkClock(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const { tenant, store, visit, now } = target;
  const { ok, warning, failed } = diagnose('clock', tenant);
  const { origin } = new URL(store.presign(probeKey(), now()).getUrl);
  const answer = await visit({ method: 'HEAD', url: `${origin}/` }).catch(() => null);
  const storeMs = Date.parse(answer?.headers.date ?? '');
  if (answer === null || Number.isNaN(storeMs)) return [];
  const aheadMs = answer.at.getTime() - (storeMs + halfSecondMs);
  const offMs = Math.abs(aheadMs);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const summary = `This machine is ${Math.round(offMs / 1000)} s ${where} the store.`;
  const fix =
    'Synchronise the clocks of this machine and the store with NTP: timedatectl set-ntp true';
  if (offMs > failAboveMs) return [failed(summary, fix)];
  if (offMs > warnAboveMs) return [warning(summary, fix)];
  return [ok('This machine and the store agree on the time.')];
}

export interface StoreToCheck {
  readonly tenant: string;
  readonly store: BlobStore;
  readonly visit: MakeVisit;
  /** Origins whose pages may use presigned URLs: `*`, origins, or origins with one `*` in the host. */
  readonly origins: readonly string[];
  readonly fixes: Readonly<Record<'access' | 'presigned' | 'cors', string>>;
  /** The warning for an address that cannot be reached from this machine; null if that counts as a failure. */
  readonly unreached: { readonly message: string; readonly fix: string } | null;
  readonly now: () => Date;
}

function uploadHeaders(type: StorageType): Readonly<Record<string, string>> {
  const contentType = { 'content-type': 'application/octet-stream' };
  return type === 'azure' ? { ...contentType, 'x-ms-blob-type': 'BlockBlob' } : contentType;
}

/** If no server responds, this is only a warning, because that may be intended. */
async function checkPresigned(target: StoreToCheck): Promise<Diagnosis> {
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
      return failed('The downloaded bytes differ from the uploaded ones.', fixes.presigned);
    return ok('Uploading, downloading and deleting through them work.');
  } catch (error) {
    const isUnreached = hasCode(error, 'store_unavailable');
    if (unreached !== null && isUnreached) return warning(unreached.message, unreached.fix);
    return failed(messageOf(error), fixes.presigned);
  } finally {
    // Cleans up if the presigned deletion failed.
    await store.delete(key).catch(() => undefined);
  }
}

async function expectDone(visit: MakeVisit, what: Visit): Promise<Buffer> {
  const { status, body } = await visit(what);
  if (status >= 200 && status < 300) return body;
  const message = `The store responded to ${what.method} through a presigned URL with HTTP ${status}.`;
  throw new ForensicsError('store_refused', message);
}

/** Sends, for each allowed origin, the preflight request that a browser would send before an upload. */
async function checkCors(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const { tenant, store, origins, fixes, now } = target;
  if (origins.length === 0) return [];
  const { ok, failed } = diagnose('CORS', tenant);
  const { putUrl } = store.presign(probeKey(), now());
  const refused: string[] = [];
  try {
    for (const pattern of origins) {
      const origin = pattern === '*' ? 'https://any.example' : pattern.replace('*', 'any');
      if (!(await isOriginAllowed(target, origin, putUrl))) refused.push(pattern);
    }
  } catch (error) {
    return [failed(messageOf(error), fixes.cors)];
  }
  return refused.length === 0
    ? [ok(`Pages from ${origins.join(', ')} can upload.`)]
    : [failed(`Browsers will block uploads by pages from ${refused.join(', ')}.`, fixes.cors)];
}

async function isOriginAllowed({ store, visit }: StoreToCheck, origin: string, url: string) {
  const wanted = Object.keys(uploadHeaders(store.type));
  const { status, headers } = await visit({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': wanted.join(','),
    },
  });
  const allows = (what: 'origin' | 'methods' | 'headers', value: string) => {
    const names = (headers[`access-control-allow-${what}`] ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase());
    return names.includes('*') || names.includes(value.toLowerCase());
  };
  const isDone = status >= 200 && status < 300;
  const isAllowed = allows('origin', origin) && allows('methods', 'PUT');
  return isDone && isAllowed && wanted.every((name) => allows('headers', name));
}

/** A request as a client of the service sends it, knowing only the URL. */
interface Visit {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

type MakeVisit = ReturnType<typeof createVisitor>;

const timeouts = { connectMs: 5000, idleMs: 10_000 };
const totalMs = 20_000;
const maxAnswerBytes = 1024 * 1024;

/** Follows no redirects. @throws {ForensicsError} `store_unavailable`, `store_refused` if there is no response. */
export function createVisitor(settings: Pick<RemoteSettings, 'ca' | 'guard'>) {
  return async ({ method, url, headers = {}, body }: Visit) => {
    const agent = createAgent(url.startsWith('https:'), { ...settings, timeouts });
    const signal = AbortSignal.timeout(totalMs);
    const askedMs = Date.now();
    try {
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const options = { method, headers: { ...headers, ...length }, agent, signal };
      const answer = await sendRequest(url, options, body);
      /** Our clock's time halfway between request and response. */
      const at = new Date((askedMs + Date.now()) / 2);
      const { statusCode: status = 0, headers: answered } = answer;
      const content = await gatherAnswer(answer, null, maxAnswerBytes);
      return { status, headers: answered, body: content, at };
    } catch (error) {
      throw connectionFailure(error);
    } finally {
      agent.destroy();
    }
  };
}
