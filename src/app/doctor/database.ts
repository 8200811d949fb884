import type { OpenDatabase } from '../../db/open.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';

export const restore = 'Put back a backup of the data folder.';

/** Reads the whole file: some seconds for a large one. */
export function checkDatabase({ db }: Pick<OpenDatabase, 'db'>): Diagnosis {
  const { ok, failed } = diagnose('database');
  try {
    const found = db.$client.pragma('quick_check(1)', { simple: true });
    return found === 'ok'
      ? ok('It opens, and its pages are in order.')
      : failed('It is damaged.', restore);
  } catch (error) {
    return failed(messageOf(error), restore);
  }
}
