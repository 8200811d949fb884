/**
 * How much one caller may ask for. A caller is a key or a user; who named neither is a network address. An address
 * that fails too often to authenticate (a wrong key, a wrong password) is refused until the minute
 * is over, with the right key either: guessing ends long before it can succeed.
 */

import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ForensicsError, toForensicsError } from '../errors.ts';
import { createFairQueue } from '../fair-queue.ts';
import { type Db, setRequester } from '../ports/db/database.ts';
import { countRequest, readCount } from '../service/access/request-counts.ts';
import type { Core } from '../service/core.ts';
import { requirePrincipal } from './authenticate.ts';

const windowMs = 60_000;

interface RateLimits {
  /** To be called before callers are authenticated. */
  guardAuthentication(): void;
  /** To be called after that. */
  countRequests(): void;
}

const noLimits: RateLimits = {
  guardAuthentication: () => undefined,
  countRequests: () => undefined,
};

interface Limits extends Pick<Core, 'database' | 'now'> {
  /** Requests a minute of one caller; 0 sets no limit. */
  readonly rateLimitPerMinute: number;
}

/** Servers that share a database count together. */
export async function createRateLimits(
  server: FastifyInstance,
  { rateLimitPerMinute: max, database: { db }, now }: Limits,
): Promise<RateLimits> {
  if (max === 0) return noLimits;
  const shared = db.engine === 'sqlite' ? {} : { store: sharedStore(db, now) };
  await server.register(rateLimit, { global: false, max, timeWindow: windowMs, ...shared });
  // Addresses count as the package does it: an IPv6 network of 64 bits is one place.
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

/** What the package asks of a store. Each limit has a child of its own; in every server they are made in the same order. */
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

/** Tells what is left. @throws {ForensicsError} `rate_limited` when nothing is. */
function spend(reply: FastifyReply, budget: Budget): void {
  // Only with a list of the allowed, of which there is none; the types want to hear it.
  if (budget.isAllowed) return;
  const { max, remaining, ttlInSeconds, isExceeded } = budget;
  void reply.headers({
    'ratelimit-limit': max,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': ttlInSeconds,
  });
  if (!isExceeded) return;
  const message = `Too many requests: ${max} a minute are allowed. Ask again in ${ttlInSeconds} seconds.`;
  throw new ForensicsError('rate_limited', message, { retryAfterSeconds: ttlInSeconds });
}

/**
 * Not for objects, whose URLs are signed; and not the routes that show whether the server is alive: a probe
 * that is refused because of others would take a healthy server out of service.
 */
function isLimited({ routeOptions }: FastifyRequest): boolean {
  const { access, rateLimit: limit } = routeOptions.config;
  return access !== 'urlSignature' && limit !== false;
}

// Tenants take turns. This process does one thing at a time, and a tenant that sends a thousand requests at once must not
// make another wait for all of them: each tenant has its own queue, and with every round of the event loop the next tenant's
// first request begins. Once begun, a request that waits for something, such as a store, blocks nobody; only for connections
// to PostgreSQL do tenants take turns again.

/** Before requests are authenticated, their credential or address stands for the requester. */
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
