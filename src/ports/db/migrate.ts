/** Brings a database file to the present schema. */

import type { Database } from 'better-sqlite3';
import { ForensicsError } from '../../errors.ts';
import { migrations } from './migrations.ts';

/**
 * Brings the file to the newest schema; each step is one transaction together with its version number.
 *
 * @throws {ForensicsError} `schema_newer` when a newer program has already changed the file.
 */
export function migrate(client: Database, steps: readonly string[] = migrations): void {
  for (let done = knownSchemaOf(client, steps); done < steps.length; ) {
    // Immediate: of two processes that open a new file together, one waits and then finds the step done.
    done = client
      .transaction(() => {
        const version = knownSchemaOf(client, steps);
        if (version >= steps.length) return version;
        client.exec(steps[version]!);
        client.pragma(`user_version = ${version + 1}`);
        return version + 1;
      })
      .immediate();
  }
}

/** How many steps were done to the file; 0 for a new one. */
export function schemaOf(client: Database): number {
  return Number(client.pragma('user_version', { simple: true }));
}

/** The same of a file that this program can work with. @throws {ForensicsError} `schema_newer`. */
export function knownSchemaOf(client: Database, steps: readonly string[] = migrations): number {
  const version = schemaOf(client);
  if (version <= steps.length) return version;
  throw new ForensicsError(
    'schema_newer',
    `The database was written by a newer version of this program (schema ${version}, this program knows ${steps.length}); install the newer version.`,
  );
}
