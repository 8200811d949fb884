import Database from 'better-sqlite3';
import { migrate } from '../../../../src/ports/db/migrate.ts';
import { migrations } from '../../../../src/ports/db/migrations.ts';

/** A database as an earlier version made it: the first `steps` of all steps. */
export function makeOlderDatabase(path: string, steps = migrations.length - 1): void {
  const client = new Database(path);
  client.pragma('journal_mode = WAL');
  migrate(client, migrations.slice(0, steps));
  client.prepare('INSERT INTO settings VALUES (?, ?)').run('mark', `schema ${steps}`);
  client.close();
}
