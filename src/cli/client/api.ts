/** A client of the `/v1` API: sends requests, retries them while the server is away, and turns refusals into errors. */

import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { Value } from 'typebox/value';
import { createSecureContext, getCACertificates } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { jsonOrNull } from '../../contract/common.ts';
import { ForensicsError, serverUnexpected, usageError } from '../../contract/errors.ts';
import { type Pace, backoffMs, retry } from '../../waiting.ts';
import { toConnectionFailure, toRefusal } from './errors.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Starting with `/v1`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** If the key is the same, a request that creates or starts something can safely be repeated. */
  readonly idempotencyKey?: string;
  /** Replaces the usual credentials, for example to test a new key. */
  readonly authorization?: string;
  readonly signal?: AbortSignal;
  /** Retries for two and a half minutes. The signal ends the waiting, never a request in flight. */
  readonly longRun?: AbortSignal;
}

export interface Api {
  readonly url: URL;
  /** Also used for objects in the server's own store, which presents the same certificate. */
  readonly dispatcher: Dispatcher;
  /**
   * Reads, and requests with an idempotency key, are retried while the server is down or busy.
   *
   * @param answer - schema of the whole response, `{success, data?}`.
   * @throws {ForensicsError} the server's error; `server_unreachable`, `server_untrusted`, `server_unexpected`,
   *   `cancelled`.
   */
  request<T extends TSchema>(request: ApiRequest, answer: T): Promise<Static<T>>;
  /** Streams the body of a response that is a file; never retried. @throws as `request`. */
  download(request: Pick<ApiRequest, 'path' | 'query'>): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

const timeoutMs = 30_000;
/** Used for a file that the server creates while it is being fetched; a large picture takes some seconds. */
const longestSilenceMs = 600_000;
/** Used for long runs: longer than a restart, and longer than the minute over which a server counts requests. */
export const longRunLimits = { tries: () => Infinity, budgetMs: 150_000 } as const;
const maxTries = 5;
// If a server has never responded, the address is more likely to be wrong than the server to be down.
const maxTriesAtFirst = 3;

/** @throws {ForensicsError} `usage` for anything but an HTTPS address. */
export function openApi(access: {
  readonly url: string;
  /** As `connectionsUnder` takes it. */
  readonly ca: string | null;
  /** The Authorization header; if omitted, no credentials are sent. */
  readonly authorization?: string | null;
  readonly userAgent: string;
  readonly pace?: Pace | undefined;
}): Api {
  const { authorization: usual = null, userAgent, pace } = access;
  const url = httpsAddress(access.url);
  const dispatcher = connectionsUnder(access.ca);
  const sender = { url, dispatcher, userAgent };
  let hasAnswered = false;

  async function attempt(wanted: ApiRequest): Promise<unknown> {
    const { authorization = usual } = wanted;
    const answer = await send(sender, wanted, authorization);
    hasAnswered = true;
    if (answer.status >= 200 && answer.status <= 299) return answer.data;
    throw toRefusal(answer, { lacksCredentials: authorization === null });
  }

  function retryLimits({ method, idempotencyKey, longRun, signal }: ApiRequest): RetryLimits {
    const isRepeatable = method === 'GET' || idempotencyKey !== undefined;
    if (!isRepeatable) return { tries: () => 1 };
    if (longRun !== undefined) return { ...longRunLimits, signal: longRun };
    return { tries: () => (hasAnswered ? maxTries : maxTriesAtFirst), signal };
  }

  return {
    url,
    dispatcher,
    async request(wanted, answer) {
      const data = await withRetry(() => attempt(wanted), { ...retryLimits(wanted), pace });
      if (Value.Check(answer, data)) return data;
      throw serverUnexpected(
        "The server's response does not match this API; check the address, and that the server is not older than this program.",
      );
    },
    async download(where) {
      const wanted = { method: 'GET', ...where } as const;
      const answer = await begin(sender, wanted, usual).catch((error: unknown) => {
        throw toConnectionFailure(error, url);
      });
      const { statusCode: status, headers, body } = answer;
      if (status === 200) return body as AsyncIterable<Uint8Array>;
      const data = jsonOrNull(await body.text());
      throw toRefusal({ status, headers, data }, { lacksCredentials: usual === null });
    },
    close: () => dispatcher.close(),
  };
}

type Sender = Pick<Api, 'url' | 'dispatcher'> & { readonly userAgent: string };

async function send(sender: Sender, wanted: ApiRequest, authorization: string | null) {
  const { signal } = wanted;
  const ended = AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]);
  try {
    const answer = await begin(sender, { ...wanted, signal: ended }, authorization);
    const { statusCode: status, headers } = answer;
    return { status, headers, data: jsonOrNull(await answer.body.text()) };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw toConnectionFailure(error, sender.url);
  }
}

/** Sends the request and returns the response, whose body is still unread. */
function begin(
  { url, dispatcher, userAgent }: Sender,
  { method, path, query = {}, body, idempotencyKey, signal }: ApiRequest,
  authorization: string | null,
): Promise<Dispatcher.ResponseData> {
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  return request(target, {
    method,
    dispatcher,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      // Required even for DELETE, because a page of another site cannot send this type without a preflight request.
      'content-type': 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: longestSilenceMs,
    bodyTimeout: longestSilenceMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** @throws {ForensicsError} `usage`. */
export function httpsAddress(text: string): URL {
  const url = URL.parse(text);
  const isBare = url?.pathname === '/' && !(url.search || url.hash || url.username || url.password);
  if (isBare && url.protocol === 'https:') return url;
  const hint = url?.protocol === 'http:' ? '; plain HTTP is not supported' : '';
  throw usageError(`The address of a server looks like https://forensics.example:8443${hint}.`);
}

/**
 * Opens connections that also check the certificate's host name and dates. Respects `HTTPS_PROXY` and `NO_PROXY`.
 *
 * @param ca - PEM of the authorities that must have issued the certificate; null for those that Node.js or the system trusts.
 */
export function connectionsUnder(ca: string | null): Dispatcher {
  // Includes the system's certificates, because companies install their own authority there.
  const trusted = ca ?? [...getCACertificates('default'), ...getCACertificates('system')];
  const secured = { secureContext: createSecureContext({ ca: trusted }) };
  return new EnvHttpProxyAgent({ connect: secured, requestTls: secured });
}

/** The schema of a response with every component inlined; the server's own schemas refer to them by name only. */
export function wholeAnswer<T extends TSchema>(
  answer: T,
  components: readonly object[],
): TUnsafe<Static<T>> {
  const named = new Map(components.map((part) => [`${String(Object(part)['$id'])}#`, part]));
  const whole = (schema: object): object =>
    JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
      const part = named.get(String(Object(value)['$ref']));
      return part === undefined ? value : whole(part);
    });
  return Type.Unsafe<Static<T>>(whole(answer));
}

interface RetryLimits {
  /** Read again after each failure, because the number may change. */
  readonly tries: () => number;
  readonly budgetMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

const defaultBudgetMs = 30_000;
const firstPauseMs = 500;
const growth = 3;
const maxPauseMs = 5000;

/** @throws whatever `act` threw last; the reason of `signal`. */
export function withRetry<T>(
  act: () => Promise<T>,
  { tries, budgetMs = defaultBudgetMs, signal, pace }: RetryLimits,
): Promise<T> {
  return retry(act, {
    pauseAfter(error, attempt) {
      if (!(error instanceof ForensicsError) || attempt >= tries()) return null;
      const { code, canRetry, status, cause, retryAfterSeconds } = error;
      // The server is down or busy. A failed health check, however, is a proper response.
      const isAway = code !== 'unhealthy' && canRetry && (status === 429 || status === 503);
      // A name that does not resolve now will not resolve within a second, but may within minutes.
      const isUnknownName = Object(cause)['code'] === 'ENOTFOUND';
      if (!isAway || (isUnknownName && budgetMs <= defaultBudgetMs)) return null;
      if (retryAfterSeconds !== null) return retryAfterSeconds * 1000;
      return Math.min(maxPauseMs, backoffMs(attempt, firstPauseMs, growth));
    },
    budgetMs,
    signal,
    pace,
  });
}
