/** Checks whether a PostgreSQL database can serve several machines. */

import { sql } from 'drizzle-orm';
import { type Db, transact } from '../../ports/db/database.ts';
import { judgeClock } from './clock.ts';
import { diagnose, type Diagnosis } from './installation.ts';

/** @throws {ForensicsError} if the database does not respond. */
export async function checkDatabaseClock(db: Db, now: () => Date): Promise<Diagnosis> {
  const sentAtMs = now().getTime();
  const [row] = await db.values<[string]>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  );
  const aheadMs = (sentAtMs + now().getTime()) / 2 - Number(row?.[0]);
  return judgeClock(null, aheadMs, 'the database');
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

/** @throws {ForensicsError} if the database does not respond. */
export async function readFacts(db: Db) {
  const [facts] = await db.values<(string | number)[]>(sql`SELECT
    current_setting('server_version'),
    current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
    (pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on')::int,
    has_schema_privilege(current_schema(), 'CREATE')::int,
    (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND NOT pg_has_role(tableowner, 'USAGE')),
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`);
  const [version, fsync, fullPageWrites, synchronousCommit, ...numbers] = facts!;
  const [isReadOnly, mayCreate, foreignTables, maxConnections, connections] = numbers.map(Number);
  const [isolation] = await transact(db, (tx) =>
    tx.values<[string]>(sql`SHOW transaction_isolation`),
  );
  return {
    version: String(version),
    /** The isolation level inside a write transaction. */
    isolation: isolation![0],
    // Settings that make committed data survive a power cut.
    fsync: String(fsync),
    fullPageWrites: String(fullPageWrites),
    synchronousCommit: String(synchronousCommit),
    /** True for a replica, or when the administrator made it read-only. */
    isReadOnly: isReadOnly === 1,
    mayCreate: mayCreate === 1,
    /** Number of tables owned by another user; only their owner can upgrade them. */
    foreignTables: foreignTables!,
    maxConnections: maxConnections!,
    connections: connections!,
  };
}

export function judgeFacts(facts: Facts): readonly [Diagnosis, Diagnosis, Diagnosis] {
  return [judgeServer(facts), judgeRights(facts), judgeConnections(facts)];
}

function judgeServer(facts: Facts): Diagnosis {
  const { ok, failed } = diagnose('database');
  const { version, isolation, fsync, fullPageWrites, synchronousCommit } = facts;
  if (facts.isReadOnly)
    return failed('It is read-only.', 'Set databaseUrl to the primary server, not to a replica.');
  if (isolation !== 'serializable')
    return failed(
      `Its transactions run as "${isolation}" instead of serializable.`,
      'Connect to PostgreSQL directly, or through a pooler in session mode.',
    );
  const unsafe = Object.entries({
    fsync,
    full_page_writes: fullPageWrites,
    synchronous_commit: synchronousCommit,
  }).flatMap(([name, value]) => (value === 'off' ? [name] : []));
  return unsafe.length === 0
    ? ok(`PostgreSQL ${version}; transactions are serializable and survive a power cut.`)
    : failed(
        `A power cut could lose committed data: ${unsafe.join(', ')} is off.`,
        `Switch it on in postgresql.conf: ${unsafe[0]} = on`,
      );
}

function judgeRights({ mayCreate, foreignTables }: Facts): Diagnosis {
  const { ok, warning } = diagnose('database user');
  const fix = 'Make the user of databaseUrl the owner of the database and of its tables.';
  if (foreignTables > 0)
    return warning(
      `It does not own ${foreignTables} of the tables, so it cannot upgrade the schema.`,
      fix,
    );
  return mayCreate
    ? ok('It owns its tables and can create others.')
    : warning('It lacks permission to create tables, so it cannot upgrade the schema.', fix);
}

// A pool of ten connections, and one connection that listens for notifications.
const connectionsOfAProcess = 11;

function judgeConnections({ connections, maxConnections }: Facts): Diagnosis {
  const { ok, warning } = diagnose('connections');
  const message = `${connections} of ${maxConnections} are in use.`;
  return connections + connectionsOfAProcess <= maxConnections
    ? ok(message)
    : warning(
        `${message} Another server or worker can take up to ${connectionsOfAProcess}.`,
        'Raise max_connections in postgresql.conf, or run fewer processes.',
      );
}
