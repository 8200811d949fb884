/** Checks that a backup is byte for byte what was written, and that a service can run from it. */

import { copyFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentSchema } from '../../ports/db/migrations.ts';
import { type Db } from '../../ports/db/database.ts';
import { openDatabase } from '../../ports/db/sqlite.ts';
import { inspectDatabase, readDatabase } from '../../ports/db/snapshot.ts';
import { hasCode, ForensicsError } from '../../contract/errors.ts';
import { type Archive, readArchive, type ReadOptions } from './archive-reader.ts';
import { embeddedObjects, names, toDiskError } from './contents.ts';

export interface Verified extends Pick<Archive, 'manifest' | 'manifestSha256' | 'problems'> {
  /** Number of rows by table, counted in the database; empty if it cannot be read. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Unpacks the database into `TMPDIR`. @throws {ForensicsError} `file_*`, `backup_unreadable`, `schema_newer`. */
export async function verifyBackup(
  file: string,
  onProgress?: ReadOptions['onProgress'],
): Promise<Verified> {
  const scratch = await mkdtemp(join(tmpdir(), 'forensics-backup-'));
  const database = join(scratch, names.database);
  try {
    const archive = await readArchive(file, {
      pathFor: async (name) => (name === names.database ? database : null),
      ...(onProgress && { onProgress }),
    });
    return await judge(archive, database);
  } catch (error) {
    throw toDiskError(error, 'The folder for temporary files (TMPDIR)');
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** May copy `database` beside itself. @throws {ForensicsError} `schema_newer` for a backup made by a newer version. */
export async function judge(archive: Archive, database: string): Promise<Verified> {
  const { manifest, manifestSha256, problems } = archive;
  const common = { manifest, manifestSha256 };
  // Report the first cause of damage, not everything that follows from it.
  if (manifest === null || problems.length > 0) return { ...common, rows: {}, problems };
  if (manifest.schema > currentSchema('sqlite')) {
    const message = `The backup was made by a newer version of this program (${manifest.program}, schema ${manifest.schema}; this one knows ${currentSchema('sqlite')}); install that version, then restore.`;
    throw new ForensicsError('schema_newer', message);
  }
  try {
    const { schema, rows, problems: found } = await inspectDatabase(database);
    const missing = found.length > 0 ? [] : await missingObjects(archive, database, schema);
    const schemaProblems =
      schema === manifest.schema
        ? []
        : [`${names.manifest} gives a different schema version from the database.`];
    return { ...common, rows, problems: [...schemaProblems, ...found, ...missing] };
  } catch (error) {
    if (!hasCode(error, 'database_damaged')) throw error;
    return { ...common, rows: {}, problems: ['The database in the backup is damaged.'] };
  }
}

// Nobody would read a list of thousands.
const maxShown = 20;

async function missingObjects({ manifest, files }: Archive, database: string, schema: number) {
  const known = new Set(manifest?.absent.map(({ path }) => path));
  const missing: string[] = [];
  await withPresentSchema(database, schema, async (db) => {
    for await (const { path } of embeddedObjects(db)) {
      if (!files.has(path) && !known.has(path)) missing.push(path);
    }
  });
  const shown = missing.slice(0, maxShown);
  return shown.map((path) => `${path} is missing although a row refers to it.`);
}

/** Also proves that an older database can be upgraded. */
async function withPresentSchema(database: string, schema: number, act: (db: Db) => Promise<void>) {
  if (schema === currentSchema('sqlite')) return readDatabase(database, act);
  const copy = `${database}.newest`;
  copyFileSync(database, copy);
  const opened = openDatabase({ path: copy, isScratch: true });
  try {
    await act(opened.db);
  } finally {
    await opened.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  }
}

export function isDamaged(problems: readonly string[]): ForensicsError {
  const others = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return new ForensicsError(
    'backup_damaged',
    `The backup has changed since it was written: ${problems[0]}${others} Use another one.`,
  );
}
