/**
 * PostgreSQL, the engine of several machines: state that any number of servers and workers share. The query builder writes
 * SQL that both engines understand; only its placeholders are numbered here.
 */

import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient, type QueryArrayResult } from 'pg';
import { type ErrorCode, ForensicsError } from '../errors.ts';
import {
  createReader,
  createTx,
  type Db,
  type Execute,
  type Isolation,
  type News,
  type OpenDatabase,
  type Reader,
  refuseInTransaction,
  type Tx,
} from './database.ts';
import { migratePostgres } from './postgres-schema.ts';

export interface PostgresPlace {
  /** `postgres://user@host:port/database`, with the parameters of libpq for TLS, such as `sslmode=verify-full`. */
  readonly url: string;
  /** Its content, without blank space around it, is the password; null where the URL or nothing tells one. */
  readonly passwordFile: string | null;
  /** Connections of this process. */
  readonly connections?: number;
}

export interface OpenPostgres extends OpenDatabase {
  /** The clock of the database, which all processes share: leases and limits hold although theirs differ. */
  now(): Date;
}

const connectionsOfAProcess = 10;
const clockCheckMs = 60_000;
const reconnectMs = 1000;
const channel = 'forensics';

/**
 * Connects, and brings the database to the newest schema.
 *
 * @throws {ForensicsError} `config_invalid` when the database refuses us, `store_unavailable` when it does not answer,
 *   `schema_newer`, `no_space_left`.
 */
export async function openPostgres(place: PostgresPlace): Promise<OpenPostgres> {
  const config = configOf(place);
  const pool = new Pool({ ...config, max: place.connections ?? connectionsOfAProcess });
  // An idle connection that breaks is no trouble: the next statement opens another one, or fails itself.
  pool.on('error', () => undefined);
  try {
    const client = await pool.connect();
    let found: { from: number; to: number };
    try {
      await refuseOldServer(client);
      found = await migratePostgres(client);
    } finally {
      client.release();
    }
    const clock = await followClock(pool);
    const news = await listen(config);
    const db = createPostgresDb(pool, news.emitter);
    const isUpgrade = found.from !== 0 && found.from !== found.to;
    return {
      db,
      upgrade: isUpgrade ? { ...found, copy: null } : null,
      loss: null,
      now: clock.now,
      check: async () => void (await statement(pool, 'SELECT 1 FROM settings LIMIT 1', [], 'get')),
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

function configOf({ url, passwordFile }: PostgresPlace): ClientConfig {
  return {
    connectionString: url,
    ...(passwordFile === null ? {} : { password: () => passwordIn(passwordFile) }),
    application_name: 'forensics',
    connectionTimeoutMillis: 5000,
    // Who freezes in the middle of a transaction keeps the others waiting for so long at most.
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: 10_000,
    types: { getTypeParser: parserOf },
  };
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new ForensicsError(
      'config_invalid',
      'The file with the password of the database cannot be read; check databasePasswordFile and who may read that file.',
      { cause },
    );
  }
}

const oldestServer = 14;

async function refuseOldServer(client: PoolClient): Promise<void> {
  const { rows } = await client.query('SHOW server_version_num');
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version >= oldestServer) return;
  throw new ForensicsError(
    'config_invalid',
    `The database is PostgreSQL ${version}; version ${oldestServer} or newer is needed.`,
  );
}

// By the numbers of the types: whole numbers and sums as numbers, truth as SQLite tells it; bytes as bytes, all else as text.
const [boolType, byteaType, int8Type, int4Type, numericType] = [16, 17, 20, 23, 1700] as const;

function parserOf(type: number, format?: string): (value: string) => unknown {
  if (format === 'binary') throw new TypeError('results are asked for as text');
  if (type === int8Type || type === int4Type || type === numericType) return Number;
  if (type === boolType) return (value) => (value === 't' ? 1 : 0);
  if (type === byteaType) return (value) => Buffer.from(value.slice(2), 'hex');
  return (value) => value;
}

type Queryable = Pick<Pool, 'query'> | PoolClient;

async function statement(
  client: Queryable,
  ...[sql, values, method]: Parameters<Execute>
): Promise<Awaited<ReturnType<Execute>>> {
  const { rows, rowCount }: QueryArrayResult<unknown[]> = await client.query({
    text: toPostgres(sql),
    values,
    rowMode: 'array',
  });
  if (method === 'run') return { changes: rowCount ?? 0 };
  return { rows: method === 'get' ? rows[0] : rows };
}

const written = new Map<string, string>();

/**
 * `?` of the query builder as `$1`, `$2`: no text in our statements has a question mark of its own. And the columns of a
 * conflict without their table.
 */
function toPostgres(sql: string): string {
  const known = written.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql
    .replaceAll('?', () => `$${++count}`)
    .replace(/on conflict \([^)]*\)/, (target) => target.replaceAll(/"\w+"\./g, ''));
  if (written.size > 1000) written.clear();
  written.set(sql, text);
  return text;
}

function createPostgresDb(pool: Pool, news: EventEmitter): Db {
  const reader = createReader('postgres', async (...asked) => {
    refuseInTransaction();
    return again(asked[0].startsWith('select'), () => statement(pool, ...asked));
  });
  return Object.assign(reader, {
    runTransaction: <T>(act: (tx: Tx) => Promise<T>, isolation: Isolation) =>
      runTransaction(pool, act, isolation),
    snapshot: <T>(act: (reader: Reader) => Promise<T>) =>
      inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => ({
        result: await act(
          createReader('postgres', async (...asked) => statement(client, ...asked)),
        ),
        announced: [],
      })),
    onNews(kind: News, listener: () => void) {
      news.on(kind, listener);
      return () => void news.off(kind, listener);
    },
  });
}

// With pauses that grow to a fifth of a second this lasts for ten seconds, in which a hundred others had their turn.
const mostAttempts = 60;

/**
 * PostgreSQL lets transactions run side by side and refuses one of two whose outcome would not be that of one after the
 * other; that one is run again.
 */
async function runTransaction<T>(
  pool: Pool,
  act: (tx: Tx) => Promise<T>,
  isolation: Isolation,
): Promise<T> {
  const begin = isolation === 'serialised' ? 'BEGIN ISOLATION LEVEL SERIALIZABLE' : 'BEGIN';
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, begin, async (client) => {
        const { tx, announced } = createTx('postgres', async (...asked) =>
          statement(client, ...asked),
        );
        return { result: await act(tx), announced: [...announced] };
      });
    } catch (error) {
      if (!isOvertaken(error) || attempt >= mostAttempts) throw toPostgresError(error);
      await setTimeout(Math.random() * Math.min(200, 2 ** attempt));
    }
  }
}

interface Outcome<T> {
  readonly result: T;
  readonly announced: readonly News[];
}

async function inTransaction<T>(
  pool: Pool,
  begin: string,
  act: (client: PoolClient) => Promise<Outcome<T>>,
): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query(begin);
    const { result, announced } = await act(client);
    const notices = announced.map((news) => `NOTIFY ${channel}, '${news}';`).join('');
    await client.query(`${notices}COMMIT`);
    return result;
  } catch (error) {
    try {
      await client.query('ROLLBACK');
    } catch {
      isBroken = true;
    }
    throw error;
  } finally {
    client.release(isBroken);
  }
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

/** Commits of any process come as notices; a listener whose connection breaks comes back, and polls find what it missed. */
async function listen(config: ClientConfig) {
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
    client.on('end', () => void reconnect());
    present = client;
    await client.connect();
    await client.query(`LISTEN ${channel}`);
  }

  async function reconnect(): Promise<void> {
    while (!stopping.signal.aborted) {
      await setTimeout(reconnectMs, undefined, { ref: false });
      if (stopping.signal.aborted) return;
      try {
        await connect();
        return;
      } catch {
        // Tried again until it is back.
      }
    }
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

// serialization_failure, deadlock_detected; unique_violation, which another transaction may have caused after we looked.
const overtakenCodes = ['40001', '40P01', '23505'];

function isOvertaken(error: unknown): boolean {
  return overtakenCodes.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Those that a caller can do something about; everything else passes as it is. */
export function toPostgresError(error: unknown): unknown {
  if (error instanceof ForensicsError) return error;
  const code = codeOf(error);
  const isLost =
    error instanceof Error &&
    /connection terminated|timeout exceeded|client was closed/i.test(error.message);
  const trouble = troubles.find(
    ({ codes, is }) =>
      codes.some((begin) => code.startsWith(begin)) || (isLost && is === 'store_unavailable'),
  );
  return trouble === undefined
    ? error
    : new ForensicsError(trouble.is, trouble.message, { cause: error });
}

/** By the beginnings of the codes of PostgreSQL (SQLSTATE) and of the system. */
const troubles: readonly {
  readonly codes: readonly string[];
  readonly is: ErrorCode;
  readonly message: string;
}[] = [
  {
    codes: ['53100'],
    is: 'no_space_left',
    message: 'The disk of the database is full; make room.',
  },
  {
    codes: ['28', '3D000', '42501', '3F000'],
    is: 'config_invalid',
    message:
      'PostgreSQL refuses us; check user, password and database in databaseUrl, and that the user may create tables there.',
  },
  {
    codes: ['58P01', '0A000'],
    is: 'config_invalid',
    message:
      'The extension pg_trgm is missing in PostgreSQL; install its package postgresql-contrib.',
  },
  {
    codes: ['XX001', 'XX002'],
    is: 'database_damaged',
    message: 'The database is damaged; restore a backup of it.',
  },
  {
    codes: [
      '08',
      '53',
      '57',
      '55P03',
      '40',
      '25P03',
      'ECONN',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'EPIPE',
      'EHOST',
      'ENET',
    ],
    is: 'store_unavailable',
    message:
      'The database does not answer; check that PostgreSQL runs at the address in databaseUrl, then try again.',
  },
];
