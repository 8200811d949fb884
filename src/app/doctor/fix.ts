import { type ErrorCode, ForensicsError } from '../../errors.ts';

const restoring = 'a backup of the data folder: forensics restore FILE --data-dir DIR';
export const restore = `Put back ${restoring}`;

const fixes: Partial<Record<ErrorCode, string>> = {
  database_damaged: restore,
  config_invalid: 'Correct the setting that is named, or put the right master key back.',
  no_space_left: 'Make room on the disk of the data folder.',
  file_not_readable: 'Ask as the user who runs the server: sudo -u <user> forensics doctor',
  schema_newer: 'Install the newer version again: npm i -g forensics',
  store_unavailable:
    'Look at the disk of the data folder, and try again when nothing else works on it.',
};

// A backup is no cure for a failing disk, and is lost on one.
const unknown = `Look at the disk and the log of the system first; only if they are in order put back ${restoring}`;

/** What to do about a failure of the data folder. */
export function fixFor(error: unknown): string {
  return (error instanceof ForensicsError ? fixes[error.code] : undefined) ?? unknown;
}
