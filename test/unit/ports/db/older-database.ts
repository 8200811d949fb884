import Database from 'better-sqlite3';
import { migrateSqlite, currentSchema, schemaSteps } from '../../../../src/ports/db/migrations.ts';

/** A database as an earlier version left it, migrated up to step `steps`. */
export function makeOlderDatabase(path: string, steps = currentSchema('sqlite') - 1): void {
  const client = new Database(path);
  client.pragma('journal_mode = WAL');
  migrateSqlite(client, schemaSteps('sqlite').slice(0, steps));
  client.prepare('INSERT INTO settings VALUES (?, ?)').run('mark', `schema ${steps}`);
  client.close();
}
