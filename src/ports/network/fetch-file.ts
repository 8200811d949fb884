/**
 * Downloads one file from a web address with address checks and limits on size and time, and records redirects and
 * response headers.
 */

import type { Dispatcher } from 'undici';
import { failure } from '../../contract/failure-reasons.ts';
import { ForensicsError } from '../../errors.ts';
import { readUpTo } from '../files/streams.ts';
import { createAddressGuard } from './address-guard.ts';
import { connectionCode, guardedConnector } from './post.ts';

export interface FetchedFile {
  readonly bytes: Uint8Array;
  /** The addresses that the first one redirected to, in order. */
  readonly redirects: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

interface FetchLimits {
  /** As in `createAddressGuard`. */
  readonly allow: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const timeoutMs = 60_000;
const maxRedirects = 5;

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `image_too_many_bytes`; the abort reason of `signal`. */
export async function fetchFile(address: string, limits: FetchLimits): Promise<FetchedFile> {
  const { Agent, buildConnector } = await import('undici');
  const guard = createAddressGuard(limits.allow);
  const agent = new Agent({ connect: guardedConnector(buildConnector, guard) });
  try {
    return await follow(address, agent, limits);
  } finally {
    await agent.destroy();
  }
}

async function follow(
  address: string,
  dispatcher: Dispatcher,
  { maxBytes, signal: stopped }: FetchLimits,
): Promise<FetchedFile> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  const redirects: string[] = [];
  let url = checkedUrl(address);
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each address comes from the previous one
      const answer = await get(url, { dispatcher, signal });
      const { statusCode: status } = answer;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && typeof location === 'string') {
        if (redirects.length === maxRedirects) throw failure('url_redirects', { host: url.host });
        url = checkedUrl(new URL(location, url).href);
        redirects.push(url.href);
      } else if (status === 200) {
        // oxlint-disable-next-line no-await-in-loop -- the last step
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

/** A password in the address would be printed and stored in the evidence. */
function checkedUrl(address: string): URL {
  const url = URL.parse(address);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '') throw failure('url_not_usable', {});
  return url;
}

async function get(
  url: URL,
  how: { readonly dispatcher: Dispatcher; readonly signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const { request } = await import('undici');
  // Without this header, some servers convert pictures to another format.
  return request(url, { ...how, headers: { accept: '*/*', 'user-agent': 'forensics' } });
}

/** Headers that describe the file; cookies and the like are not evidence. */
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
