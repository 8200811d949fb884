/** The result of one check of the doctor. */

import { type ErrorCode, ForensicsError } from '../../errors.ts';

const states = ['ok', 'warning', 'failed'] as const;
export type State = (typeof states)[number];

export interface Diagnosis {
  readonly name: string;
  /** Null for checks that concern all tenants. */
  readonly tenant: string | null;
  readonly state: State;
  /** One sentence, without secrets or signed URLs. */
  readonly message: string;
  /** The command or step that fixes it; null if all is well. */
  readonly fix: string | null;
}

export interface Diagnose {
  readonly ok: (message: string) => Diagnosis;
  readonly warning: (message: string, fix: string) => Diagnosis;
  readonly failed: (message: string, fix: string) => Diagnosis;
}

export function diagnose(name: string, tenant: string | null = null): Diagnose {
  const about = { name, tenant };
  return {
    ok: (message) => ({ ...about, state: 'ok', message, fix: null }),
    warning: (message, fix) => ({ ...about, state: 'warning', message, fix }),
    failed: (message, fix) => ({ ...about, state: 'failed', message, fix }),
  };
}

/** Our own errors explain the cause in their message; of any other error only the name is safe to print. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  if (error.name === 'ForensicsError') return error.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return `It failed (${code}).`;
}

const restoring = 'a backup of the data folder: forensics restore FILE --data-dir DIR';
export const restore = `Restore ${restoring}`;

const fixes: Partial<Record<ErrorCode, string>> = {
  database_damaged: restore,
  config_invalid: 'Correct the setting named above, or restore the right master key.',
  no_space_left: 'Free space on the disk that holds the data folder.',
  file_not_readable: 'Run it as the user who runs the server: sudo -u <user> forensics doctor',
  schema_newer: 'Install the newer version again: npm i -g forensics',
  store_unavailable:
    'Check the disk that holds the data folder, and try again when nothing else is using it.',
};

// Restoring a backup does not help on a failing disk, and may lose the backup too.
const unknown = `Check the disk and the system log first; only if both are in order, restore ${restoring}`;

/** How to fix a failure of the data folder. */
export function fixFor(error: unknown): string {
  return (error instanceof ForensicsError ? fixes[error.code] : undefined) ?? unknown;
}
