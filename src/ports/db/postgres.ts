/**
 * PostgreSQL, the engine of several machines: state that any number of servers and workers share. The query builder writes
 * SQL that both engines understand; only its placeholders are numbered here.
 */

import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { ForensicsError } from '../../errors.ts';
import { createFairQueue } from '../../fair-queue.ts';
import {
  createReader,
  createTx,
  type Db,
  type Kind,
  type Topic,
  type OpenDatabase,
  presentRequester,
  type Reader,
  assertNoTransaction,
  pipelined,
  type Tx,
} from './database.ts';
import {
  configOf,
  isOvertaken,
  type PostgresPlace,
  statement,
  toPostgresError,
} from './postgres-client.ts';
import { listen, noticeOf } from './postgres-notifications.ts';
import { migratePostgres } from './migrations.ts';

export interface OpenPostgres extends OpenDatabase {
  /** The clock of the database, which all processes share: leases and limits hold although theirs differ. */
  now(): Date;
  /** Writes tables anew, without what stood in their rows before. @throws {ForensicsError} `no_space_left` and others. */
  rewrite(tables: readonly string[]): Promise<void>;
}

const connectionsOfAProcess = 10;
const clockCheckMs = 60_000;

/**
 * Connects, and brings the database to the newest schema.
 *
 * @throws {ForensicsError} `config_invalid` when the database refuses us, `store_unavailable` when it does not answer,
 *   `schema_newer`, `no_space_left`; `conflict` when it cannot be alone, or another process is.
 */
export async function openPostgres(place: PostgresPlace): Promise<OpenPostgres> {
  const config = configOf(place);
  const connections = place.connections ?? connectionsOfAProcess;
  const pool = new Pool({ ...config, max: connections });
  // A connection that breaks is no trouble by itself: its statements fail, and the next one opens another.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  try {
    const client = await pool.connect();
    let found: { from: number; to: number };
    try {
      await assertServerVersion(client);
      found = await migratePostgres(client);
    } finally {
      client.release();
    }
    const clock = await followClock(pool);
    const news = await listen(config, place.isExclusive ?? false);
    const db = createPostgresDb(takeTurns(pool, connections), news.emitter);
    const isUpgrade = found.from !== 0 && found.from !== found.to;
    return {
      db,
      upgrade: isUpgrade ? { ...found, copy: null } : null,
      now: clock.now,
      async rewrite(tables) {
        try {
          await pool.query(`VACUUM (FULL) ${tables.join(', ')}`);
        } catch (error) {
          throw toPostgresError(error);
        }
      },
      check: async () =>
        void (await statement(pool, ['SELECT 1 FROM settings LIMIT 1', [], 'get'])),
      async close() {
        clock.stop();
        await news.stop();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw toPostgresError(error);
  }
}

const oldestServer = 14;

async function assertServerVersion(client: PoolClient): Promise<void> {
  const { rows } = await client.query('SHOW server_version_num');
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version >= oldestServer) return;
  throw new ForensicsError(
    'config_invalid',
    `The database is PostgreSQL ${version}; version ${oldestServer} or newer is needed.`,
  );
}

interface Connections {
  /** Lends a connection; one that is discarded is closed and not lent again. */
  use<T>(act: (client: PoolClient, discard: () => void) => Promise<T>): Promise<T>;
}

/** Senders who wait take turns. One that asks for much at once has no more than a share, so that others need not wait at all. */
function takeTurns(pool: Pool, connections: number): Connections {
  const waiting = createFairQueue<() => void>();
  const most = Math.ceil(connections * shareOfSender);
  const held = new Map<string, number>();
  let free = connections;

  // What the service does by itself is bounded already.
  const mayHold = (sender: string) => sender === '' || (held.get(sender) ?? 0) < most;

  function hold(sender: string, more: 1 | -1): void {
    free -= more;
    const now = (held.get(sender) ?? 0) + more;
    if (now === 0) held.delete(sender);
    else held.set(sender, now);
  }

  async function take(sender: string): Promise<void> {
    if (free > 0 && mayHold(sender)) return hold(sender, 1);
    return new Promise((resolve) => {
      waiting.add(sender, () => {
        hold(sender, 1);
        resolve();
      });
    });
  }

  return {
    async use(act) {
      const sender = presentRequester();
      await take(sender);
      let isBroken = false;
      try {
        const client = await pool.connect();
        try {
          return await act(client, () => void (isBroken = true));
        } finally {
          client.release(isBroken);
        }
      } finally {
        hold(sender, -1);
        waiting.next(mayHold)?.();
      }
    },
  };
}

const shareOfSender = 0.3;

function createPostgresDb(pool: Connections, news: EventEmitter): Db {
  const reader = createReader('postgres', async (...asked) => {
    assertNoTransaction();
    return again(asked[0].startsWith('select'), () =>
      pool.use((client) => statement(client, asked)),
    );
  });
  return Object.assign(reader, {
    runTransaction: <T>(act: (tx: Tx) => Promise<T>, kind: Kind) => runTransaction(pool, act, kind),
    snapshot: <T>(act: (reader: Reader) => Promise<T>) =>
      inTransaction(pool, { begin: beginSnapshot, turn: null }, async (client) => ({
        result: await act(createReader('postgres', async (...asked) => statement(client, asked))),
        announced: [],
      })),
    onNotification(kind: Topic, listener: () => void) {
      news.on(kind, listener);
      return () => void news.off(kind, listener);
    },
  });
}

// With pauses that grow to a fifth of a second this lasts for ten seconds, in which a hundred others had their turn.
const mostAttempts = 60;

/**
 * A read through an index conflicts with writes of its neighbours at most, one of a whole table with every write: and small
 * tables, or those that were small when a connection planned its statements, PostgreSQL likes to read whole.
 *
 * @see "Serializable Isolation Level" in the manual of PostgreSQL, which advises so.
 */
const beginSerialised = 'BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off';
// The log is written in its order: whatever is committed after such a transaction keeps it, too.
const withoutWaiting = '; SET LOCAL synchronous_commit = off';
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * PostgreSQL lets transactions run side by side and refuses one of two whose outcome would not be that of one after the
 * other; that one is run again.
 */
async function runTransaction<T>(
  pool: Connections,
  act: (tx: Tx) => Promise<T>,
  kind: Kind,
): Promise<T> {
  const { serializedBy = null, mayBeUndone = kind === 'claim' } =
    typeof kind === 'object' ? kind : {};
  const begin =
    (kind === 'claim' ? 'BEGIN' : beginSerialised) + (mayBeUndone ? withoutWaiting : '');
  const turn = serializedBy === null ? null : lockOf(serializedBy);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, { begin, turn }, async (client, begun) => {
        const { tx, announced, renew } = txOn(client);
        renew(begun);
        return { result: await act(tx), announced: [...announced] };
      });
    } catch (error) {
      if (!isOvertaken(error) || attempt >= mostAttempts) throw toPostgresError(error);
      await setTimeout(Math.random() * Math.min(200, 2 ** attempt));
    }
  }
}

// Any number but those of the migration and of the presence: the first half of the names of turns.
const turnLocks = 7_305_513;

/** Two names that share a number wait for each other as if they were one. */
function lockOf(name: string): string {
  return `${turnLocks}, ${createHash('sha256').update(name).digest().readInt32BE()}`;
}

const txs = new WeakMap<PoolClient, ReturnType<typeof createTx>>();

/** One a connection: what was built for it stays. */
function txOn(client: PoolClient): ReturnType<typeof createTx> {
  const made =
    txs.get(client) ?? createTx('postgres', async (...asked) => statement(client, asked, true));
  txs.set(client, made);
  return made;
}

interface Outcome<T> {
  readonly result: T;
  readonly announced: readonly Topic[];
}

interface Frame {
  readonly begin: string;
  /** A lock of the session, taken before and left after it: a transaction sees what was there before it waited for a lock. */
  readonly turn: string | null;
}

async function inTransaction<T>(
  pool: Connections,
  { begin, turn }: Frame,
  act: (client: PoolClient, begun: Promise<unknown>) => Promise<Outcome<T>>,
): Promise<T> {
  const leave = turn === null ? '' : `; SELECT pg_advisory_unlock(${turn})`;
  return pool.use(async (client, discard) => {
    try {
      if (turn !== null) await client.query(`BEGIN; SELECT pg_advisory_lock(${turn}); COMMIT`);
      // The first statement goes out with it: it fails only where the connection has ended.
      const begun = client.query(begin);
      const [{ result, announced }] = await pipelined(act(client, begun), begun);
      const committed = client.query(`COMMIT${leave}`);
      // After the commit: PostgreSQL lets one transaction with notices write to its disk at a time. Polls find what is not heard.
      if (announced.length > 0) client.query(noticeOf(announced)).catch(() => undefined);
      await committed;
      return result;
    } catch (error) {
      await client.query(`ROLLBACK${leave}`).catch(discard);
      throw error;
    }
  });
}

/** A read that met the end of its connection, as at a restart of the database, is asked once more. */
async function again<T>(isRead: boolean, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const trouble = toPostgresError(error);
    const isGone = trouble instanceof ForensicsError && trouble.code === 'store_unavailable';
    if (!isRead || !isGone) throw trouble;
  }
  try {
    return await ask();
  } catch (error) {
    throw toPostgresError(error);
  }
}

/** How far this machine's clock is from that of the database, measured at the start and every minute. */
async function followClock(pool: Pool) {
  let offsetMs = 0;
  const measure = async () => {
    const asked = Date.now();
    const { rows } = await pool.query({
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
      rowMode: 'array',
    });
    offsetMs = Number(rows[0]?.[0]) - (asked + Date.now()) / 2;
  };
  await measure();
  // A database that does not answer now will be asked again; until then the last measurement holds.
  const timer = setInterval(() => void measure().catch(() => undefined), clockCheckMs);
  timer.unref();
  return {
    now: () => new Date(Date.now() + offsetMs),
    stop: () => clearInterval(timer),
  };
}
