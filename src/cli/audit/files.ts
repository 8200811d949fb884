/** `forensics audit files`. */

import type { CheckedFile } from '../../analyses/check-files.ts';
import { ForensicsError } from '../../errors.ts';
import { listTable } from '../list-table.ts';
import { keptTenantNamed } from '../../app/tenant-named.ts';
import { type LocalOptions, withLocalCore } from '../local-core.ts';
import { print, printJson } from '../talk.ts';

export interface FilesOptions extends LocalOptions {
  readonly tenant: string;
  readonly analysis: string;
  readonly json: boolean;
}

const words = {
  as_recorded: 'as recorded',
  changed: 'CHANGED',
  missing: 'MISSING',
  not_recorded: 'older than the log',
} as const satisfies Record<CheckedFile['state'], string>;

/** @throws {ForensicsError} `evidence_damaged` when a file is not what was written; `analysis_not_found`. */
export async function files(options: FilesOptions): Promise<void> {
  const { openBlobs } = await import('../../app/blobs.ts');
  const { checkFiles } = await import('../../analyses/check-files.ts');
  const checked = await withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const { stores } = openBlobs({ settings, core, now, onError: raise });
    const { db } = core.database;
    return checkFiles({ db, stores }, { tenantId, analysisId: options.analysis });
  });
  if (options.json) printJson(checked);
  else print(listTable(['file', 'state', 'SHA-256 in the log'], checked.map(rowOf)));
  const wrong = checked.filter(({ state }) => state === 'changed' || state === 'missing');
  if (wrong.length === 0) return;
  const names = wrong.map(({ name }) => name).join(', ');
  throw new ForensicsError('evidence_damaged', `Not as the service wrote it: ${names}.`);
}

function rowOf({ name, state, recorded }: CheckedFile): string[] {
  return [name, words[state], recorded ?? ''];
}

const now = () => new Date();

function raise(error: unknown): never {
  throw error;
}
