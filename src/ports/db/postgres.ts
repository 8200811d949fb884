/** PostgreSQL, the engine for several machines: any number of servers and workers share its state. */

import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { configInvalid, hasCode } from '../../contract/errors.ts';
import {
  assertNoTransaction,
  createReader,
  probeWriting,
  createTx,
  type Db,
  type Kind,
  type OpenDatabase,
  pipelined,
  type Reader,
  type Topic,
  type Tx,
} from './database.ts';
import { isConflict, needsSessions, toPostgresError } from './errors.ts';
import { migratePostgres } from './migrations.ts';
import {
  clientConfig,
  type Connections,
  listen,
  notifyStatements,
  type PostgresPlace,
  runStatement,
  sessionLimits,
  shareConnections,
} from './postgres-connections.ts';

export interface OpenPostgres extends OpenDatabase {
  /** The time by the database's clock, so that leases and limits work even if the machines' clocks differ. */
  now(): Date;
  /** Rewrites tables, which erases earlier contents of rows. @throws {ForensicsError} `no_space_left` and others. */
  rewrite(tables: readonly string[]): Promise<void>;
}

const maxConnections = 10;

/**
 * Connects, and upgrades the database to the newest schema.
 *
 * @throws {ForensicsError} `config_invalid` if the database rejects the connection, `store_unavailable` when it does
 *   not respond, `schema_newer`, `no_space_left`; `conflict` if exclusive access is impossible, or another process has
 *   it.
 */
export async function openPostgres(place: PostgresPlace): Promise<OpenPostgres> {
  const config = clientConfig(place);
  const pool = new Pool({ ...config, max: maxConnections });
  // Nothing to do for a broken connection: its statements fail, and the next statement opens a new one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    client.query(sessionLimits).catch(() => undefined);
  });
  try {
    const upgrade = await prepare(pool);
    const clock = await followClock(pool);
    const notifications = await listen(config, place.isExclusive ?? false);
    const db = createPostgresDb(shareConnections(pool, maxConnections), notifications.emitter);
    return {
      db,
      upgrade,
      now: clock.now,
      async rewrite(tables) {
        await pool.query(`VACUUM (FULL) ${tables.join(', ')}`).catch((error: unknown) => {
          throw toPostgresError(error);
        });
      },
      check: () => probeWriting(db),
      async close() {
        clock.stop();
        await notifications.stop();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw toPostgresError(error);
  }
}

const oldestServer = 14;

async function prepare(pool: Pool): Promise<OpenDatabase['upgrade']> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SHOW server_version_num');
    const server = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (server < oldestServer) {
      throw configInvalid(
        `The database is PostgreSQL ${server}; version ${oldestServer} or newer is needed.`,
      );
    }
    await assertOwnSessions(client, pool);
    const { from, to } = await migratePostgres(client);
    return from === 0 || from === to ? null : { from, to, copy: null };
  } finally {
    client.release();
  }
}

/** Detects a pooler that lends sessions per transaction: both get the same one or, if it is busy, changing ones. */
async function assertOwnSessions(one: PoolClient, pool: Pool): Promise<void> {
  const other = await pool.connect();
  try {
    const sessions: number[] = [];
    // The new connection comes first: it responds only once its settings are made, so no two statements overlap.
    for (const client of [other, one, other, one]) {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      sessions.push(rows[0]?.pid);
    }
    const [first, second, third, fourth] = sessions;
    if (first === third && second === fourth && first !== second) return;
    throw configInvalid(needsSessions);
  } finally {
    other.release();
  }
}

function createPostgresDb(connections: Connections, notifications: EventEmitter): Db {
  const reader = createReader('postgres', async (...statement) => {
    assertNoTransaction();
    return repeatingReads(statement[0].startsWith('select'), () =>
      connections.use((client) => runStatement(client, statement)),
    );
  });
  return Object.assign(reader, {
    runTransaction: <T>(act: (tx: Tx) => Promise<T>, kind: Kind) =>
      runTransaction(connections, act, kind),
    snapshot: <T>(act: (reader: Reader) => Promise<T>) =>
      repeatingReads(true, () =>
        inTransaction(connections, { begin: beginSnapshot, lock: null }, (client) =>
          act(createReader('postgres', async (...statement) => runStatement(client, statement))),
        ),
      ),
    onNotification(topic: Topic, listener: () => void) {
      notifications.on(topic, listener);
      return () => void notifications.off(topic, listener);
    },
  });
}

/** Repeats reads once if the connection breaks, as it does when the database restarts. */
async function repeatingReads<T>(isRead: boolean, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const translated = toPostgresError(error);
      const isGone = hasCode(translated, 'store_unavailable');
      if (!isRead || !isGone || attempt === 2) throw translated;
    }
  }
}

// With delays that grow to a fifth of a second, this takes ten seconds in all: enough for a hundred other transactions.
const maxAttempts = 60;

/**
 * A read through an index conflicts only with writes to neighbouring rows, but a sequential scan with every write.
 * PostgreSQL prefers sequential scans for small tables, including those that were still small when a connection planned
 * its statements.
 *
 * @see "Serializable Isolation Level" in the PostgreSQL manual, which gives this advice.
 */
const beginSerialised = 'BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off';
// The log is written in order, so any later commit makes this one durable too.
const withoutFlush = '; SET LOCAL synchronous_commit = off';
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** PostgreSQL runs transactions concurrently, and aborts those whose result would depend on that; these are retried. */
async function runTransaction<T>(
  connections: Connections,
  act: (tx: Tx) => Promise<T>,
  kind: Kind,
): Promise<T> {
  const { serializedBy = null, mayBeUndone = kind === 'claim' } =
    typeof kind === 'object' ? kind : {};
  const begin = (kind === 'claim' ? 'BEGIN' : beginSerialised) + (mayBeUndone ? withoutFlush : '');
  const lock = serializedBy === null ? null : lockNumbers(serializedBy);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(connections, { begin, lock }, (client) => act(txOn(client).tx));
    } catch (error) {
      if (!isConflict(error) || attempt >= maxAttempts) throw toPostgresError(error);
      await setTimeout(Math.random() * Math.min(200, 2 ** attempt));
    }
  }
}

// The first half of every named lock: any number except those of the migration and presence locks.
const nameLocks = 7_305_513;

/** If two names have the same number, their transactions wait for each other, as if the names were the same. */
function lockNumbers(name: string): string {
  return `${nameLocks}, ${createHash('sha256').update(name).digest().readInt32BE()}`;
}

const txs = new WeakMap<PoolClient, ReturnType<typeof createTx>>();

/** The transaction object of a connection, which keeps the queries that were built for it. */
function txOn(client: PoolClient): ReturnType<typeof createTx> {
  const made =
    txs.get(client) ??
    createTx('postgres', async (...statement) => runStatement(client, statement, true));
  txs.set(client, made);
  return made;
}

interface Frame {
  readonly begin: string;
  /** A session lock, taken before the transaction, which would otherwise not see what changed during the wait. */
  readonly lock: string | null;
}

async function inTransaction<T>(
  connections: Connections,
  { begin, lock }: Frame,
  act: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const unlock = lock === null ? '' : `; SELECT pg_advisory_unlock(${lock})`;
  return connections.use(async (client, discard) => {
    const { topics, renew } = txOn(client);
    try {
      if (lock !== null) await client.query(`BEGIN; SELECT pg_advisory_lock(${lock}); COMMIT`);
      // Sent together with the first statement; it fails only if the connection is lost.
      const begun = client.query(begin);
      renew(begun);
      const [result] = await pipelined(act(client), begun);
      const committed = client.query(`COMMIT${unlock}`);
      // After the commit, because commits with notifications run one at a time. Polling finds what is lost.
      if (topics.size > 0) client.query(notifyStatements([...topics])).catch(() => undefined);
      await committed;
      return result;
    } catch (error) {
      await client.query(`ROLLBACK${unlock}`).catch(discard);
      throw error;
    }
  });
}

const clockCheckMs = 60_000;

/** Measures how far this machine's clock differs from the database's, at the start and then every minute. */
async function followClock(pool: Pool) {
  let offsetMs = 0;
  const measure = async () => {
    const sentMs = Date.now();
    const { rows } = await pool.query({
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
      rowMode: 'array',
    });
    offsetMs = Number(rows[0]?.[0]) - (sentMs + Date.now()) / 2;
  };
  await measure();
  // If the database does not respond, the last measurement remains in use.
  const timer = setInterval(() => void measure().catch(() => undefined), clockCheckMs);
  timer.unref();
  return { now: () => new Date(Date.now() + offsetMs), stop: () => clearInterval(timer) };
}
