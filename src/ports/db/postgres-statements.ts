/** Statements of the query builder as node-postgres expects them, and its rows as the query builder expects them. */

import { readFileSync } from 'node:fs';
import type { ClientConfig, Pool, PoolClient, QueryArrayResult } from 'pg';
import { ForensicsError } from '../../errors.ts';
import type { Execute } from './builder.ts';

export interface PostgresPlace {
  /** `postgres://user@host:port/database`, with the parameters of libpq for TLS, such as `sslmode=verify-full`. */
  readonly url: string;
  /** Its content, trimmed, is the password; null where the URL has the password or none is needed. */
  readonly passwordFile: string | null;
  /** Keeps every other process out until it is closed. */
  readonly isExclusive?: boolean;
}

export function clientConfig({ url, passwordFile }: PostgresPlace): ClientConfig {
  return {
    connectionString: url,
    ...(passwordFile === null ? {} : { password: () => readPassword(passwordFile) }),
    application_name: 'forensics',
    // Statements are sent without waiting for the results of those before them.
    pipeline: true,
    connectionTimeoutMillis: 5000,
    // A process that freezes in the middle of a transaction blocks the others for this long at most.
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: 10_000,
    types: { getTypeParser: typeParser },
  };
}

function readPassword(file: string): string {
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

// Object ids of types, see pg_type.dat of PostgreSQL.
const [boolType, byteaType, int8Type, int4Type, numericType] = [16, 17, 20, 23, 1700] as const;

/** Values as SQLite returns them: whole numbers and sums as numbers, booleans as 0 and 1, bytes as buffers, all else as text. */
function typeParser(type: number, format?: string): (value: string) => unknown {
  if (format === 'binary') throw new TypeError('results are requested as text');
  if (type === int8Type || type === int4Type || type === numericType) return Number;
  if (type === boolType) return (value) => (value === 't' ? 1 : 0);
  if (type === byteaType) return (value) => Buffer.from(value.slice(2), 'hex');
  return decodeText;
}

// Text in PostgreSQL cannot contain U+0000, which SQLite and JSON allow. It is stored as the last character of Unicode and a 0,
// and that character itself as the same and a 1.
const escape = '\u{10FFFF}';

function encodeText(value: unknown): unknown {
  if (typeof value !== 'string' || !/[\0\u{10FFFF}]/u.test(value)) return value;
  return value.replaceAll(/[\0\u{10FFFF}]/gu, (found) => escape + (found === '\0' ? '0' : '1'));
}

function decodeText(value: string): string {
  if (!value.includes(escape)) return value;
  return value.replaceAll(/\u{10FFFF}([01])/gu, (_, which) => (which === '0' ? '\0' : escape));
}

/**
 * @param isKept - whether the connection keeps its plan: not for searches, where the best plan depends on the search term.
 */
export async function runStatement(
  client: Pick<Pool, 'query'> | PoolClient,
  [sql, values, method]: Parameters<Execute>,
  isKept = false,
): Promise<Awaited<ReturnType<Execute>>> {
  const { text, name } = toPostgres(sql);
  if ('connection' in client) {
    const { stream } = client.connection;
    // Statements that are issued at the same moment go in one packet: each of its own would wake up the database.
    stream.cork();
    // After everything that follows from results which arrived in the same turn.
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

interface Translated {
  readonly text: string;
  /** Under which connections keep its plan; null when there are too many. */
  readonly name: string | null;
}

const translated = new Map<string, Translated>();
const maxTranslated = 1000;

/**
 * `?` of the query builder as `$1`, `$2`: no text in our statements contains a question mark. And the columns of a conflict
 * without their table.
 */
function toPostgres(sql: string): Translated {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql
    .replaceAll('?', () => `$${++count}`)
    .replace(/on conflict \([^)]*\)/, (target) => target.replaceAll(/"\w+"\./g, ''));
  if (translated.size >= maxTranslated) return { text, name: null };
  const made = { text, name: `s${translated.size}` };
  translated.set(sql, made);
  return made;
}
