/** Statements as node-postgres wants them, rows as the query builder wants them, and errors as everybody else does. */

import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { ClientConfig, Pool, PoolClient, QueryArrayResult } from 'pg';
import { type ErrorCode, ForensicsError } from '../../errors.ts';
import type { Execute } from './database.ts';

export interface PostgresPlace {
  /** `postgres://user@host:port/database`, with the parameters of libpq for TLS, such as `sslmode=verify-full`. */
  readonly url: string;
  /** Its content, without blank space around it, is the password; null where the URL or nothing tells one. */
  readonly passwordFile: string | null;
  /** Connections of this process. */
  readonly connections?: number;
  /** Keeps every other process out until it is closed. */
  readonly isExclusive?: boolean;
}

export function configOf({ url, passwordFile }: PostgresPlace): ClientConfig {
  return {
    connectionString: url,
    ...(passwordFile === null ? {} : { password: () => passwordIn(passwordFile) }),
    application_name: 'forensics',
    // Statements go out without waiting for the answers to those before them.
    pipeline: true,
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

// By the numbers of the types: whole numbers and sums as numbers, truth as SQLite tells it; bytes as bytes, all else as text.
const [boolType, byteaType, int8Type, int4Type, numericType] = [16, 17, 20, 23, 1700] as const;

function parserOf(type: number, format?: string): (value: string) => unknown {
  if (format === 'binary') throw new TypeError('results are asked for as text');
  if (type === int8Type || type === int4Type || type === numericType) return Number;
  if (type === boolType) return (value) => (value === 't' ? 1 : 0);
  if (type === byteaType) return (value) => Buffer.from(value.slice(2), 'hex');
  return decode;
}

// PostgreSQL has no text with U+0000, which SQLite and JSON have. It is written as two characters, the first of which is the last of
// Unicode; where a text has that one itself it is written as two as well.
const escape = '\u{10FFFF}';

function encode(value: unknown): unknown {
  if (typeof value !== 'string' || !/[\0\u{10FFFF}]/u.test(value)) return value;
  return value.replaceAll(/[\0\u{10FFFF}]/gu, (found) => escape + (found === '\0' ? '0' : '1'));
}

function decode(value: string): string {
  if (!value.includes(escape)) return value;
  return value.replaceAll(/\u{10FFFF}([01])/gu, (_, which) => (which === '0' ? '\0' : escape));
}

export type Queryable = Pick<Pool, 'query'> | PoolClient;

/** @param isKept - whether a connection keeps its plan: not of searches, whose best plan depends on what is looked for. */
export async function statement(
  client: Queryable,
  [sql, values, method]: Parameters<Execute>,
  isKept = false,
): Promise<Awaited<ReturnType<Execute>>> {
  const { text, name } = toPostgres(sql);
  if ('connection' in client) sendTogether(client.connection.stream);
  const { rows, rowCount }: QueryArrayResult<unknown[]> = await client.query({
    text,
    ...(isKept && name !== null ? { name } : {}),
    values: values.map(encode),
    rowMode: 'array',
  });
  if (method === 'run') return { changes: rowCount ?? 0 };
  return { rows: method === 'get' ? rows[0] : rows };
}

/** What is asked for in one go leaves in one packet: each of its own wakes the database up. */
function sendTogether(stream: Duplex): void {
  stream.cork();
  // After all that the answers which have just come lead to.
  queueMicrotask(() => process.nextTick(() => stream.uncork()));
}

interface Written {
  readonly text: string;
  /** Under which connections keep its plan; null where there are too many. */
  readonly name: string | null;
}

const written = new Map<string, Written>();
const mostWritten = 1000;

/**
 * `?` of the query builder as `$1`, `$2`: no text in our statements has a question mark of its own. And the columns of a
 * conflict without their table.
 */
function toPostgres(sql: string): Written {
  const known = written.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql
    .replaceAll('?', () => `$${++count}`)
    .replace(/on conflict \([^)]*\)/, (target) => target.replaceAll(/"\w+"\./g, ''));
  if (written.size >= mostWritten) return { text, name: null };
  const made = { text, name: `s${written.size}` };
  written.set(sql, made);
  return made;
}

// serialization_failure, deadlock_detected; unique_violation, which another transaction may have caused after we looked.
const overtakenCodes = ['40001', '40P01', '23505'];

export function isOvertaken(error: unknown): boolean {
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
    /connection terminated|connection error|timeout exceeded|client was closed/i.test(
      error.message,
    );
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
      'The extensions pg_trgm and btree_gin are missing in PostgreSQL; install its package postgresql-contrib.',
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
