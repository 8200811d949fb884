/** A process's connections to PostgreSQL, shared fairly between requesters; converts its statements and rows. */

import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { Client, type ClientConfig, type Pool, type PoolClient, type QueryArrayResult } from 'pg';
import { configInvalid, conflict } from '../../contract/errors.ts';
import { createFairQueue } from '../../waiting.ts';
import { currentRequester, type Topic } from './database.ts';
import type { Execute } from './builder.ts';

export type Connections = ReturnType<typeof shareConnections>;

/** Waiting requesters take turns; one with many requests gets only some of the connections. */
export function shareConnections(pool: Pool, connections: number) {
  const waiting = createFairQueue<() => void>();
  const limit = Math.ceil(connections * shareOfRequester);
  const held = new Map<string, number>();
  let free = connections;

  // The amount of the service's own work is limited elsewhere.
  const mayHold = (requester: string) => requester === '' || (held.get(requester) ?? 0) < limit;

  function hold(requester: string, more: 1 | -1): void {
    free -= more;
    const now = (held.get(requester) ?? 0) + more;
    if (now === 0) held.delete(requester);
    else held.set(requester, now);
  }

  async function take(requester: string): Promise<void> {
    if (free > 0 && mayHold(requester)) return hold(requester, 1);
    return new Promise((resolve) => {
      waiting.add(requester, () => {
        hold(requester, 1);
        resolve();
      });
    });
  }

  return {
    /** Lends a connection; one that is discarded is closed and not lent again. */
    async use<T>(act: (client: PoolClient, discard: () => void) => Promise<T>) {
      const requester = currentRequester();
      await take(requester);
      let isBroken = false;
      try {
        const client = await pool.connect();
        try {
          return await act(client, () => void (isBroken = true));
        } finally {
          client.release(isBroken);
        }
      } finally {
        hold(requester, -1);
        waiting.next(mayHold)?.();
      }
    },
  };
}

const shareOfRequester = 0.3;

// Commit notifications, sent and received with NOTIFY and LISTEN.

const channel = 'forensics';
const reconnectMs = 1000;
// Each process holds this lock while it listens. Any number will do, except that of the migration lock.
const presenceLock = 7_305_512;

export function notifyStatements(topics: readonly Topic[]): string {
  return topics.map((topic) => `NOTIFY ${channel}, '${topic}'`).join('; ');
}

/**
 * Emits what any process notifies. Reconnects if the connection breaks; polling finds what was missed meanwhile.
 *
 * @throws {ForensicsError} `conflict` if other processes are connected, or one of them is exclusive.
 */
export async function listen(config: ClientConfig, isExclusive: boolean) {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  const stopping = new AbortController();
  let present: Client | null = null;

  async function connect(): Promise<void> {
    const client = new Client(config);
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      if (payload === 'jobs' || payload === 'deliveries') emitter.emit(payload);
    });
    try {
      await client.connect();
      await takePresence(client, isExclusive);
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    if (stopping.signal.aborted) return client.end();
    // Registered last, because a client that never connected also emits `end`, but then the caller already retries.
    client.on('end', () => void reconnect());
    present = client;
  }

  /** Retries until the database is back. */
  async function reconnect(): Promise<void> {
    await setTimeout(reconnectMs, undefined, { ref: false });
    if (!stopping.signal.aborted) await connect().catch(() => void reconnect());
  }

  await connect();
  return {
    emitter,
    async stop() {
      stopping.abort();
      await present?.end();
    },
  };
}

async function takePresence(client: Client, isExclusive: boolean): Promise<void> {
  const lock = isExclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query({
    text: `SELECT ${lock}(${presenceLock})::text`,
    rowMode: 'array',
  });
  if (rows[0]?.[0] === 'true') return;
  throw conflict(
    isExclusive
      ? 'Servers, workers or commands are still using the database; stop them on every machine, then try again.'
      : 'Another command has exclusive use of the database, such as a rotation of the master key; try again when it has finished.',
  );
}

export interface PostgresPlace {
  /** `postgres://user@host:port/database`, with libpq's TLS parameters, such as `sslmode=verify-full`. */
  readonly url: string;
  /** File with the password, read without white space at either end; null if the URL contains it or none is needed. */
  readonly passwordFile: string | null;
  /** Keeps every other process out until this one is closed. */
  readonly isExclusive?: boolean;
}

export function clientConfig({ url, passwordFile }: PostgresPlace): ClientConfig {
  return {
    connectionString: url,
    ...(passwordFile === null ? {} : { password: () => readPassword(passwordFile) }),
    application_name: 'forensics',
    // Sends statements without waiting for the results of earlier statements.
    pipeline: true,
    connectionTimeoutMillis: 5000,
    types: { getTypeParser: typeParser },
  };
}

/** Limits how long a process frozen inside a transaction blocks others. Poolers refuse these as a session begins. */
export const sessionLimits =
  "SET idle_in_transaction_session_timeout = '30s'; SET lock_timeout = '10s'";

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw configInvalid(
      'The file with the database password cannot be read; check databasePasswordFile and the permissions of that file.',
      { cause },
    );
  }
}

// Type OIDs, see pg_type.dat of PostgreSQL.
const [boolType, byteaType, int8Type, int4Type, numericType] = [16, 17, 20, 23, 1700] as const;

/** Returns values as SQLite does: integers and sums as numbers, booleans as 0 and 1, bytes as buffers, rest as text. */
function typeParser(type: number, format?: string): (value: string) => unknown {
  if (format === 'binary') throw new TypeError('results are requested as text');
  if (type === int8Type || type === int4Type || type === numericType) return Number;
  if (type === boolType) return (value) => (value === 't' ? 1 : 0);
  if (type === byteaType) return (value) => Buffer.from(value.slice(2), 'hex');
  return decodeText;
}

// In PostgreSQL, text cannot contain U+0000, which SQLite and JSON allow. It is stored as the last
// Unicode character followed by 0, and that character itself as the same character followed by 1.
const escape = '\u{10FFFF}';

function encodeText(value: unknown): unknown {
  if (typeof value !== 'string' || !/[\0\u{10FFFF}]/u.test(value)) return value;
  return value.replaceAll(/[\0\u{10FFFF}]/gu, (found) => escape + (found === '\0' ? '0' : '1'));
}

function decodeText(value: string): string {
  if (!value.includes(escape)) return value;
  return value.replaceAll(/\u{10FFFF}([01])/gu, (_, which) => (which === '0' ? '\0' : escape));
}

/** @param isKept - whether the connection caches the plan; not for searches, whose best plan depends on the term. */
export async function runStatement(
  client: Pick<Pool, 'query'> | PoolClient,
  [sql, values, method]: Parameters<Execute>,
  isKept = false,
): Promise<Awaited<ReturnType<Execute>>> {
  const { text, name } = toPostgres(sql);
  if ('connection' in client) {
    const { stream } = client.connection;
    // Sends statements issued at the same moment in one packet, because each packet wakes up the database.
    stream.cork();
    // Runs after everything that was triggered by results in the same turn of the event loop.
    queueMicrotask(() => process.nextTick(() => stream.uncork()));
  }
  const { rows, rowCount }: QueryArrayResult<unknown[]> = await client.query({
    text,
    ...(isKept && name !== null ? { name } : {}),
    values: values.map(encodeText),
    rowMode: 'array',
  });
  if (method === 'run') return { changes: rowCount ?? 0 };
  return { rows: method === 'get' ? rows[0] : rows };
}

/** By statement; `name` is that under which connections cache the plan. */
const translated = new Map<string, { readonly text: string; readonly name: string }>();
const maxTranslated = 1000;

/** `?` becomes `$1`, `$2` (our texts contain no question mark); `on conflict` loses the table before its columns. */
function toPostgres(sql: string) {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql
    .replaceAll('?', () => `$${++count}`)
    .replace(/on conflict \([^)]*\)/, (target) => target.replaceAll(/"\w+"\./g, ''));
  // Too many plans to cache them all.
  if (translated.size >= maxTranslated) return { text, name: null };
  const made = { text, name: `s${translated.size}` };
  translated.set(sql, made);
  return made;
}
