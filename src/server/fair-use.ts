/**
 * Limits how much one caller may request. A caller is a key or a user, or otherwise a network address. An address that
 * fails to authenticate too often (a wrong key or password) is rejected until the minute is over, even with the right
 * key, so guessing is stopped long before it can succeed.
 */

import { finished } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ForensicsError, toForensicsError, rateLimited } from '../contract/errors.ts';
import { createFairQueue } from '../waiting.ts';
import { type Db, setRequester } from '../ports/db/database.ts';
import { countRequest, readCount } from '../service/access/request-counts.ts';
import type { Core } from '../service/core.ts';
import { requirePrincipal } from './authenticate.ts';

const windowMs = 60_000;

const noLimits = { guardAuthentication: () => undefined, countRequests: () => undefined };

/** Servers that share a database also share the counts. */
export async function createRateLimits(
  server: FastifyInstance,
  parts: Pick<Core, 'database' | 'now'> & { readonly rateLimitPerMinute: number },
) {
  const { rateLimitPerMinute: max, database, now } = parts;
  const { db } = database;
  if (max === 0) return noLimits;
  const shared = db.engine === 'sqlite' ? {} : { store: sharedStore(db, now) };
  await server.register(rateLimit, { global: false, max, timeWindow: windowMs, ...shared });
  // Addresses are grouped as the package groups them: a 64-bit IPv6 network counts as one place.
  const addresses = server.createRateLimit({});
  const failures = server.createRateLimit({});
  const callers = server.createRateLimit({
    keyGenerator(request: FastifyRequest) {
      const { type, id } = requirePrincipal(request);
      return `${type}:${id}`;
    },
  });

  return {
    guardAuthentication() {
      server.addHook('onRequest', async (request, reply) => {
        if (isLimited(request)) spend(reply, await failures(request, { increment: false }));
      });
      server.addHook('onError', async (request, _reply, error) => {
        if (!isLimited(request) || request.principal !== null) return;
        const { code } = toForensicsError(error);
        if (code === 'unauthenticated' || code === 'forbidden') await failures(request);
      });
    },
    countRequests() {
      server.addHook('onRequest', async (request, reply) => {
        if (!isLimited(request)) return;
        spend(reply, await (request.principal === null ? addresses : callers)(request));
      });
    },
  };
}

type Answer = (error: Error | null, counted: { current: number; ttl: number }) => void;

/** The store that the package requires. Each limit has a child store, created in the same order by every server. */
function sharedStore(db: Db, now: () => Date) {
  let children = 0;

  class SharedStore {
    readonly #limit = children++;

    child(): SharedStore {
      return new SharedStore();
    }

    incr(key: string, done: Answer): void {
      void this.#tell(countRequest, key, done);
    }

    read(key: string, done: Answer): void {
      void this.#tell(readCount, key, done);
    }

    async #tell(ask: typeof readCount, key: string, done: Answer): Promise<void> {
      const at = now();
      try {
        const found = await ask(db, { who: `${this.#limit}:${key}`, windowMs, at });
        if (found === null) return done(null, { current: 0, ttl: 0 });
        const ttl = found.begunAt + windowMs - at.getTime();
        return done(null, { current: found.requests, ttl });
      } catch (error) {
        return done(toForensicsError(error), { current: 0, ttl: 0 });
      }
    }
  }

  return SharedStore;
}

type Budget = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>;

function spend(reply: FastifyReply, budget: Budget): void {
  // True only with an allow list, and there is none; the check is for the types.
  if (budget.isAllowed) return;
  const { max, remaining, ttlInSeconds, isExceeded } = budget;
  void reply.headers({
    'ratelimit-limit': max,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': ttlInSeconds,
  });
  if (!isExceeded) return;
  const message = `Too many requests: the limit is ${max} a minute. Try again in ${ttlInSeconds} seconds.`;
  throw rateLimited(message, { retryAfterSeconds: ttlInSeconds });
}

/** Not for signed objects or health routes: rejecting a probe would take a healthy server out of service. */
function isLimited({ routeOptions }: FastifyRequest): boolean {
  const { access, rateLimit: limit } = routeOptions.config;
  return access !== 'urlSignature' && limit !== false;
}

// Tenants take turns. This process does one thing at a time, and a tenant that sends a thousand requests at once must
// not make others wait for all of them. So each tenant has its own queue, and each round of the event loop starts the
// first request of the next tenant. Once started, a request that waits, such as for a store, blocks nobody; but tenants
// take turns again for PostgreSQL connections.

/** Before authentication, requests are attributed to their credential or address. */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) =>
    setRequester(request.headers.authorization ?? request.ip, done),
  );
}

/** Requests without a principal, such as health checks, do not wait. */
export function takeTurns(server: FastifyInstance): void {
  const waiting = createFairQueue<() => void>();
  let isTaken = false;

  function nextTurn(): void {
    const begin = waiting.next();
    isTaken = begin !== undefined;
    if (begin === undefined) return;
    setImmediate(nextTurn);
    begin();
  }

  server.addHook('preValidation', (request, _, done) => {
    const name = requesterName(request);
    if (name === null) return done();
    const begin = () => setRequester(name, done);
    if (isTaken) return waiting.add(name, begin);
    isTaken = true;
    setImmediate(nextTurn);
    begin();
  });
}

/** The tenant; a person who acts for several tenants queues under their own id. */
function requesterName({ principal }: FastifyRequest): string | null {
  if (principal === null) return null;
  const [tenantId, ...others] = principal.tenantIds;
  return tenantId === undefined || others.length > 0 ? principal.id : tenantId;
}

/** @throws {ForensicsError} `rate_limited` if this requester already has `most` of the requests in progress. */
export function assertFew(
  inProgress: Iterable<FastifyRequest>,
  request: FastifyRequest,
  most: number,
): void {
  if (isFull(inProgress, request, most)) throw tooManyInProgress();
}

function isFull(inProgress: Iterable<FastifyRequest>, request: FastifyRequest, most: number) {
  const name = requesterName(request);
  return [...inProgress].filter((other) => requesterName(other) === name).length >= most;
}

export function tooManyInProgress(): ForensicsError {
  return rateLimited('Other bundles or reports are in progress; try again shortly.');
}

/** Of a tenant, so that slow clients delay only their own tenant. */
const maxDownloads = 4;
/** Of a tenant. Several reports, saved one after another, take a few seconds. */
const maxWaiting = 16;
const maxWaitMs = 20_000;
const pollMs = 100;
const stalledAfterMs = 30_000;

/** For long responses: limits how many are made or sent at once, lets a few wait, and ends those that nobody reads. */
export function limitDownloads(
  server: FastifyInstance,
  { idleTimeoutMs = stalledAfterMs, waitMs = maxWaitMs } = {},
): void {
  const inProgress = new Set<FastifyRequest>();
  const waiting = new Set<FastifyRequest>();
  server.addHook('preHandler', async (request) => {
    assertFew(waiting, request, maxWaiting);
    waiting.add(request);
    try {
      const end = Date.now() + waitMs;
      while (isFull(inProgress, request, maxDownloads)) {
        if (Date.now() >= end || request.socket.destroyed) throw tooManyInProgress();
        await setTimeout(pollMs);
      }
    } finally {
      waiting.delete(request);
    }
    inProgress.add(request);
  });
  // Also runs after the client has disconnected, but not before the response has been made.
  server.addHook('onSend', async (request, { raw }) => {
    finished(raw, () => void inProgress.delete(request));
    // A connection without anything to send is waiting for us.
    raw.setTimeout(idleTimeoutMs, () => raw.writableLength > 0 && raw.destroy());
  });
}
