/**
 * Bytes to and from where presigned URLs lead: the server's own store, S3 or Azure. The URL is the whole permission, so
 * no key of ours ever goes along.
 */

import { type Dispatcher, request } from 'undici';
import { ForensicsError } from '../../errors.ts';
import type { Pace } from '../../retry.ts';
import { type Api, longRunLimits, withRetry } from './api.ts';
import { connectionsUnder } from './connect.ts';
import { toConnectionFailure, storeFailureOf } from './errors.ts';

export interface Transfer {
  /** @throws {ForensicsError} as `storeFailureOf`; `server_unreachable`, `server_untrusted`; the reason of `signal`. */
  upload(
    target: { readonly type: 'azure' | 's3'; readonly putUrl: string },
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<void>;
  /** @throws as `upload`; `blob_too_large` above `maxBytes`. */
  download(getUrl: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Call {
  readonly method: 'GET' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array | null;
  readonly signal: AbortSignal;
}

type Answer = Dispatcher.ResponseData;

// A slow line may need this long between two pieces; the whole may take longer.
const silenceMs = 120_000;
const mostFailureText = 16_384;

/** Repeated for as long as a request of a long run. */
export function createTransfer(server: Pick<Api, 'url' | 'dispatcher'>, pace?: Pace): Transfer {
  const others = connectionsUnder({ by: 'system' });
  const reach = createReach(server, others);

  async function exchange<T>(call: Call, take: (answer: Answer) => Promise<T>): Promise<T> {
    const act = async () => {
      const answer = await followed(reach, call);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return take(answer);
      throw storeFailureOf(answer.statusCode, answer.headers, await startOf(answer));
    };
    const { signal, url } = call;
    return withRetry(() => inOurWords(act, url, signal), { ...longRunLimits, signal, pace });
  }

  return {
    async upload({ type, putUrl: url }, bytes, signal) {
      const headers = type === 'azure' ? { 'x-ms-blob-type': 'BlockBlob' } : {};
      await exchange({ method: 'PUT', url, headers, bytes, signal }, ({ body }) => body.dump());
    },
    download(url, maxBytes, signal) {
      const call = { method: 'GET', url, headers: {}, bytes: null, signal } as const;
      return exchange(call, (answer) => readUpTo(answer, maxBytes));
    },
    close: () => others.close(),
  };
}

type Reach = (target: URL, call: Call) => Promise<Answer>;

/**
 * The server's own connections for its own address. Another host is proven by what this machine trusts or, as a store
 * behind the same authority, by what the server is proven with.
 */
function createReach(
  { url, dispatcher }: Pick<Api, 'url' | 'dispatcher'>,
  others: Dispatcher,
): Reach {
  const proven = new Map([[url.origin, dispatcher]]);
  return async (target, call) => {
    const known = proven.get(target.origin);
    if (known !== undefined) return send(known, target, call);
    try {
      const answer = await send(others, target, call);
      proven.set(target.origin, others);
      return answer;
    } catch (error) {
      if (toConnectionFailure(error, target).code !== 'server_untrusted') throw error;
      const answer = await send(dispatcher, target, call);
      proven.set(target.origin, dispatcher);
      return answer;
    }
  };
}

async function followed(reach: Reach, call: Call): Promise<Answer> {
  let target = new URL(call.url);
  // S3 sends a client on to another region once.
  for (let hop = 0; hop < 3; hop++) {
    const answer = await reach(target, call);
    const next = redirectOf(answer, { method: call.method, from: target });
    if (next === null) return answer;
    await answer.body.dump();
    target = next;
  }
  throw new ForensicsError(
    'store_refused',
    'The store sends from one address to the next without end.',
  );
}

function send(
  dispatcher: Dispatcher,
  target: URL,
  { method, headers, bytes, signal }: Call,
): Promise<Answer> {
  return request(target, {
    method,
    dispatcher,
    headers,
    body: bytes,
    signal,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
}

async function inOurWords<T>(act: () => Promise<T>, url: string, signal: AbortSignal): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toConnectionFailure(error, new URL(url));
  }
}

async function readUpTo({ body }: Answer, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) {
      throw new ForensicsError('blob_too_large', 'The store sends more than such a file can have.');
    }
  }
  return Buffer.concat(parts);
}

/** The beginning of the body of a refusal; leaving the loop ends the rest. */
async function startOf({ body }: Answer): Promise<string> {
  let text = '';
  for await (const part of body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString('utf8');
    if (text.length > mostFailureText) break;
  }
  return text;
}

/** Those that let the method be: all for a GET, for a PUT the two that ask for the same again (RFC 9110, 15.4). */
const sendsOn = { GET: [301, 302, 303, 307, 308], PUT: [307, 308] } as const;

/**
 * Where a store sends us on to; null when it does not.
 *
 * @throws {ForensicsError} `store_refused` for an address without encryption, unless there was none before.
 */
function redirectOf(
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  { method, from }: { readonly method: 'GET' | 'PUT'; readonly from: URL },
): URL | null {
  const isRedirect = sendsOn[method].some((status) => status === statusCode);
  const { location } = headers;
  if (!isRedirect || typeof location !== 'string') return null;
  const next = URL.parse(location, from.href);
  const isAllowed =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:');
  if (next !== null && isAllowed) return next;
  throw new ForensicsError(
    'store_refused',
    'The store sends us on to an address without encryption; nothing was sent there. Ask the operator of the server to check the address of the store.',
  );
}
