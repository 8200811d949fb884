/** Tracks whether a database contains all of an installation that is being moved into it. */

import { eq } from 'drizzle-orm';
import { type Db, transact } from '../ports/db/database.ts';
import { settings, tenants } from '../ports/db/schema.ts';
import { ForensicsError } from '../errors.ts';

const key = 'migration';

interface State {
  /** Identifies the installation. */
  readonly from: string;
  readonly isFinished: boolean;
}

/**
 * @throws {ForensicsError} `conflict` if the database contains something else, or the migration is already complete.
 */
export async function beginMigration(db: Db, from: string): Promise<void> {
  await transact(db, async (tx) => {
    const found = await stateIn(tx);
    if (found?.isFinished === true) {
      throw new ForensicsError(
        'conflict',
        'This installation has already been moved to that database; set databaseUrl and start the server.',
      );
    }
    const isInUse =
      (await tx.select({ id: tenants.id }).from(tenants).limit(1).get()) !== undefined;
    if (found === null ? isInUse : found.from !== from) {
      throw new ForensicsError(
        'conflict',
        'That database belongs to another installation; specify an empty one.',
      );
    }
    if (found === null)
      await tx
        .insert(settings)
        .values({ key, value: toText({ from, isFinished: false }) })
        .run();
  });
}

export async function finishMigration(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const { from } = (await stateIn(tx)) ?? { from: '' };
    const value = toText({ from, isFinished: true });
    await tx.update(settings).set({ value }).where(eq(settings.key, key)).run();
  });
}

/** @throws {ForensicsError} `conflict`. */
export async function assertFullyMigrated(db: Db): Promise<void> {
  if ((await stateIn(db))?.isFinished !== false) return;
  throw new ForensicsError(
    'conflict',
    'The migration to this database is incomplete; run "forensics migrate" again on the original data folder.',
  );
}

async function stateIn(reader: Pick<Db, 'select'>): Promise<State | null> {
  const row = await reader.select().from(settings).where(eq(settings.key, key)).get();
  return row === undefined ? null : JSON.parse(row.value);
}

function toText(state: State): string {
  return JSON.stringify(state);
}
