/** Requests to addresses that others chose; checks the addresses, and limits size and time. */

import type { Dispatcher } from 'undici';
import { type AddressGuard, createAddressGuard, createConnectionGuard } from './address-guard.ts';
import { causeCode, failure, ForensicsError } from '../../contract/errors.ts';
import { readUpTo } from '../files/files.ts';

/** Outcome of an attempt. `gone`: the receiver does not want any further messages. */
export interface Outcome {
  readonly kind: 'accepted' | 'failed' | 'gone';
  /** For example `http_204`, `timeout`, `address_refused` or `ECONNREFUSED`. */
  readonly detail: string;
}

export type Sender = ReturnType<typeof createSender>;

// The contract's limit for the whole call: looking up the name, connecting, sending, and receiving the status.
const timeoutMs = 5000;
const answerBytesRead = 16_384;

/** Posts to receivers and does not follow redirects; of the response, only the status is used. */
export function createSender({ guard }: { readonly guard: AddressGuard }) {
  let opened: Promise<Client> | null = null;

  return {
    async post(
      url: string,
      body: string,
      headers: Readonly<Record<string, string>>,
    ): Promise<Outcome> {
      const { agent, request } = await (opened ??= openClient(guard));
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const options = { method: 'POST', headers, body, signal, dispatcher: agent } as const;
        const answer = await request(url, options);
        // The body is read only so that the connection can be reused.
        await answer.body
          .dump({ limit: answerBytesRead, signal })
          .catch(() => answer.body.destroy());
        const { statusCode } = answer;
        const isAccepted = statusCode >= 200 && statusCode < 300;
        const kind = statusCode === 410 ? 'gone' : isAccepted ? 'accepted' : 'failed';
        return { kind, detail: `http_${statusCode}` };
      } catch (error) {
        return { kind: 'failed', detail: signal.aborted ? 'timeout' : connectionCode(error) };
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

type Client = Awaited<ReturnType<typeof openClient>>;

/** Loads the library when the first message is sent, because many servers never send any. */
async function openClient(guard: AddressGuard) {
  const { Agent, buildConnector, request } = await import('undici');
  const { lookup, ...addresses } = createConnectionGuard(guard);
  const open = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  const connect: typeof open = (options, callback) => {
    const refusal = addresses.refusalOf(options.hostname);
    if (refusal !== null) callback(refusal, null);
    else open(options, callback);
  };
  return { agent: new Agent({ connect }), request };
}

const connectionCode = (error: unknown) => causeCode(error) || 'connection_failed';

// Downloads one file, and records redirects and response headers.

interface FetchLimits {
  /** As in `createAddressGuard`. */
  readonly allow: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const downloadMs = 60_000;
const maxRedirects = 5;

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `image_too_many_bytes`; the abort reason of `signal`. */
export async function fetchFile(address: string, limits: FetchLimits) {
  const client = await openClient(createAddressGuard(limits.allow));
  try {
    return await follow(address, client, limits);
  } finally {
    await client.agent.destroy();
  }
}

async function follow(
  address: string,
  { agent: dispatcher, request }: Client,
  { maxBytes, signal: stopped }: FetchLimits,
) {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(downloadMs)]);
  // Without `accept`, some servers would convert pictures to another format.
  const headers = { accept: '*/*', 'user-agent': 'forensics' };
  const redirects: string[] = [];
  let url = checkedUrl(address);
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each address comes from the previous one
      const answer = await request(url, { dispatcher, signal, headers });
      const { statusCode: status } = answer;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && typeof location === 'string') {
        if (redirects.length === maxRedirects) throw failure('url_redirects', { host: url.host });
        url = checkedUrl(new URL(location, url).href);
        redirects.push(url.href);
      } else if (status === 200) {
        // oxlint-disable-next-line no-await-in-loop -- this is the last step
        const bytes = await readUpTo(answer.body, maxBytes);
        if (bytes === undefined)
          throw failure('more_bytes_than', { megabytes: Math.floor(maxBytes / 1e6) });
        return { bytes, redirects, headers: keptHeaders(answer.headers) };
      } else throw failure('url_status', { host: url.host, status });
    }
  } catch (error) {
    if (stopped.aborted) throw stopped.reason;
    if (error instanceof ForensicsError) throw error;
    const { host } = url;
    const code = signal.aborted ? 'timeout' : connectionCode(error);
    if (code === 'address_refused') throw failure('url_private', { host });
    if (code === 'no_address') throw failure('url_no_address', { host });
    throw failure('url_unreachable', { host, code }, { cause: error });
  }
}

/** A password in the address would be printed, and stored in the evidence. */
function checkedUrl(address: string): URL {
  const url = URL.parse(address);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '') throw failure('url_not_usable', {});
  return url;
}

/** Headers that describe the file; others, such as cookies, are not evidence. */
const kept = 'content-type content-length content-disposition last-modified etag date server';

function keptHeaders(
  headers: Dispatcher.ResponseData['headers'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kept.split(' ').flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value.slice(0, 500)]] : [];
    }),
  );
}
