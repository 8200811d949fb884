/**
 * Whether what is kept of an analysis is what the audit log says was written. Heatmaps and reports lie where clients can put
 * other files; the copy that was examined and the row of the examination lie where nobody should.
 */

import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { eq } from 'drizzle-orm';
import type { BlobStore } from '../blobs/store.ts';
import type { Stores } from '../blobs/stores.ts';
import type { Db } from '../db/open.ts';
import { examinations } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { examinationSha256, keysOf, parseRendered } from './record.ts';
import { isAsRecorded, recordedIn } from './recorded.ts';
import { getKeptRow, type Target } from './rows.ts';

export interface CheckedFile {
  /** `original`, `examination`, or the name of a heatmap or a report. */
  readonly name: string;
  readonly state: 'as_recorded' | 'changed' | 'missing' | 'not_recorded';
  /** As the log has it; null when that is older than the file. */
  readonly recorded: string | null;
  /** Of what is there now; null when nothing is, or it cannot be read. */
  readonly found: string | null;
}

// Of a picture of 100 megapixels a heatmap has some tens of megabytes.
const maxBytes = 512 * 1024 * 1024;

/** @throws {ForensicsError} `analysis_not_found`, `store_unavailable`. */
export async function checkFiles(
  { db, stores }: { readonly db: Db; readonly stores: Stores },
  target: Target,
): Promise<readonly CheckedFile[]> {
  const row = getKeptRow(db, target);
  const store = stores.of(row);
  const recorded = recordedIn(db, target);
  const record = findRecord(db, target);
  const outputs = record?.rendered == null ? [] : keysOf(parseRendered(record.rendered));
  const checked: CheckedFile[] = [];
  const check = (name: string, found: Found) =>
    checked.push(compared({ name, recorded: recorded.hashes[name] ?? null, found }));
  if (row.evidenceKey !== null) check('original', await find(store, row.evidenceKey));
  if (record !== undefined) {
    check('examination', isAsRecorded(record, recorded) ? examinationSha256(record) : unreadable);
  }
  for (const key of outputs) check(posix.basename(key), await find(store, key));
  return checked;
}

/** The SHA-256, or why there is none. */
type Found = string | typeof missing | typeof unreadable;
const missing = Symbol('missing');
const unreadable = Symbol('unreadable');

function findRecord(db: Db, { analysisId }: Target) {
  return db.select().from(examinations).where(eq(examinations.analysisId, analysisId)).get();
}

function compared({
  name,
  recorded,
  found,
}: Pick<CheckedFile, 'name' | 'recorded'> & { readonly found: Found }): CheckedFile {
  const sha256 = typeof found === 'string' ? found : null;
  if (recorded === null) return { name, state: 'not_recorded', recorded, found: sha256 };
  if (found === missing) return { name, state: 'missing', recorded, found: null };
  const state = sha256 === recorded ? 'as_recorded' : 'changed';
  return { name, state, recorded, found: sha256 };
}

async function find(store: BlobStore, key: string): Promise<Found> {
  try {
    return createHash('sha256')
      .update(await store.read(key, maxBytes))
      .digest('hex');
  } catch (error) {
    const code = error instanceof ForensicsError ? error.code : null;
    if (code === 'blob_not_found') return missing;
    if (code === 'blob_too_large' || code === 'blob_damaged') return unreadable;
    throw error;
  }
}
