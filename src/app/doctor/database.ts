import { type OpenDatabase, toDatabaseError } from '../../db/open.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { fixFor, restore } from './fix.ts';

/** Reads the whole file, with every index: some seconds for a large one. */
export function checkDatabase({ db }: Pick<OpenDatabase, 'db'>): Diagnosis {
  const { ok, failed } = diagnose('database');
  try {
    if (db.$client.pragma('integrity_check(1)', { simple: true }) !== 'ok') {
      return failed('It is damaged.', restore);
    }
    const orphans = db.$client.pragma('foreign_key_check');
    return Array.isArray(orphans) && orphans.length > 0
      ? failed(`Rows that belong to something that is not there: ${orphans.length}.`, restore)
      : ok('It opens; its pages and indexes are in order, and every row belongs to something.');
  } catch (error) {
    const trouble = toDatabaseError(error);
    return failed(messageOf(trouble), fixFor(trouble));
  }
}
