/**
 * One server of ours, seen from outside: it sends requests of the `/v1` interface, proves that it talks to the server
 * that was meant, and turns refusals into failures of the table. Knows no command and no database.
 */

import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Dispatcher, request } from 'undici';
import { ForensicsError } from '../../errors.ts';
import { type Pace, backoffMs, retry } from '../../retry.ts';
import { failureOf, toConnectionFailure } from './errors.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From `/v1` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A request that creates or starts something is safe to repeat under one key. */
  readonly idempotencyKey?: string;
  /** The header of who asks this time, such as a new key that is proven; null without credentials, as for a login. */
  readonly authorization?: string | null;
  readonly signal?: AbortSignal;
  /** Of a long run: repeated for two and a half minutes. Its signal ends the waiting, never a request on its way. */
  readonly longRun?: AbortSignal;
}

export interface Api {
  /** Scheme, host and port. */
  readonly url: URL;
  /** For objects of the server's own store, which shows the same certificate. */
  readonly dispatcher: Dispatcher;
  /**
   * Reading, and what has an idempotency key, is repeated for half a minute, or as long as `longRun` allows, while the server is
   * away or busy.
   *
   * @param answer - schema of the whole answer, `{success, data?}`: those of the room `contract`. Further fields are let pass.
   * @throws {ForensicsError} the error of the server; `server_unreachable`, `server_untrusted`, `server_unexpected`, `cancelled`.
   */
  ask<T extends TSchema>(request: ApiRequest, answer: T): Promise<Static<T>>;
  close(): Promise<void>;
}

/** The authorization header; null without credentials. Called anew for each request: tokens are refreshed, through `api`. */
export type Authorize = (api: Pick<Api, 'ask'>) => Promise<string | null>;

interface ApiParts {
  readonly url: URL;
  readonly dispatcher: Dispatcher;
  readonly authorize: Authorize;
  readonly userAgent: string;
  readonly pace?: Pace | undefined;
}

const timeoutMs = 30_000;
/** Of a long run: longer than a restart takes, and than the minute in which a caller has spent what it may ask. */
export const longRunLimits = { tries: () => Infinity, budgetMs: 150_000 } as const;
const maxTries = 5;
// A server that never answered is more likely misnamed than away.
const maxTriesAtFirst = 3;

export function createApi({ url, dispatcher, authorize, userAgent, pace }: ApiParts): Api {
  let hasAnswered = false;

  async function attempt(asked: ApiRequest): Promise<unknown> {
    const { authorization = await authorize(api) } = asked;
    // A login has no credentials yet.
    const isNobody = asked.authorization === undefined && authorization === null;
    const answer = await send({ url, dispatcher, userAgent }, asked, authorization);
    hasAnswered = true;
    const { status, data } = answer;
    if (status < 200 || status > 299) throw failureOf(answer, isNobody);
    return data;
  }

  const limitsOf = (asked: ApiRequest): RetryLimits => {
    const { longRun, signal } = asked;
    if (!isRepeatable(asked)) return { tries: () => 1 };
    if (longRun !== undefined) return { ...longRunLimits, signal: longRun };
    return { tries: () => (hasAnswered ? maxTries : maxTriesAtFirst), signal };
  };

  const api: Api = {
    url,
    dispatcher,
    async ask(asked, answer) {
      const data = await withRetry(() => attempt(asked), { ...limitsOf(asked), pace });
      if (Value.Check(answer, data)) return data;
      throw unexpected();
    },
    close: () => dispatcher.close(),
  };
  return api;
}

function isRepeatable({ method, idempotencyKey }: ApiRequest): boolean {
  return method === 'GET' || idempotencyKey !== undefined;
}

async function send(
  { url, dispatcher, userAgent }: Omit<ApiParts, 'authorize' | 'pace'>,
  { method, path, query = {}, body, idempotencyKey, signal }: ApiRequest,
  authorization: string | null,
) {
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(target, {
      method,
      dispatcher,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        // The contract asks it of every DELETE too: no page of another site can send it unasked.
        'content-type': 'application/json',
        ...(authorization === null ? {} : { authorization }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const { statusCode: status, headers } = answer;
    return { status, headers, data: parsedJson(await answer.body.text()) };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw toConnectionFailure(error, url);
  }
}

function unexpected(): ForensicsError {
  return new ForensicsError(
    'server_unexpected',
    'The server answered something else than this interface says; check the address, and that its version is not older than this program.',
  );
}

/**
 * The schema of an answer with each component in its place: the server's own schemas only name them, as its interface
 * document does.
 */
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

/** Null for anything but JSON, such as a proxy's page: the message then depends on the status alone. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The answer to a single request: not retried, and every status counts as an answer. */
export interface Seen {
  readonly status: number;
  /** What the server's clock showed, to the second; null where the answer has no date. */
  readonly serverTime: Date | null;
  /** Half-way between question and answer, by our clock. */
  readonly at: Date;
  /** Parsed; null when it was not JSON. */
  readonly data: unknown;
}

const lookTimeoutMs = 10_000;

/** @param path - open to everybody. @throws {ForensicsError} `server_unreachable`, `server_untrusted`. */
export async function lookAt(
  { url, dispatcher }: Pick<Api, 'url' | 'dispatcher'>,
  path: string,
): Promise<Seen> {
  const askedMs = Date.now();
  try {
    const answer = await request(new URL(path, url), {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(lookTimeoutMs),
    });
    const at = new Date((askedMs + Date.now()) / 2);
    const serverMs = Date.parse(String(answer.headers['date'] ?? ''));
    return {
      status: answer.statusCode,
      serverTime: Number.isNaN(serverMs) ? null : new Date(serverMs),
      at,
      data: parsedJson(await answer.body.text()),
    };
  } catch (error) {
    throw toConnectionFailure(error, url);
  }
}

/** When to retry a request: while the server is down or busy, as long as the caller waits. */
interface RetryLimits {
  /** Asked after each failure. */
  readonly tries: () => number;
  /** Half a minute when left out. */
  readonly budgetMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

const defaultBudgetMs = 30_000;
const firstPauseMs = 500;
const growth = 3;
const maxPauseMs = 5000;

/** @throws what `act` threw last; the reason of `signal`. */
export function withRetry<T>(
  act: () => Promise<T>,
  { tries, budgetMs = defaultBudgetMs, signal, pace }: RetryLimits,
): Promise<T> {
  return retry(act, {
    pauseAfter(error, attempt) {
      if (!(error instanceof ForensicsError) || !isAway(error) || attempt >= tries()) return null;
      // A name that does not resolve now will not resolve in a second either; in minutes it may.
      if (isUnknownName(error) && budgetMs <= defaultBudgetMs) return null;
      const { retryAfterSeconds } = error;
      if (retryAfterSeconds !== null) return retryAfterSeconds * 1000;
      return Math.min(maxPauseMs, backoffMs(attempt, firstPauseMs, growth));
    },
    budgetMs,
    signal,
    pace,
  });
}

/** Whether the server was away or busy. What a health check found is its answer, and no such thing. */
function isAway({ code, canRetry, status }: ForensicsError): boolean {
  return code !== 'unhealthy' && canRetry && (status === 429 || status === 503);
}

function isUnknownName({ cause }: ForensicsError): boolean {
  return Object(cause)['code'] === 'ENOTFOUND';
}
