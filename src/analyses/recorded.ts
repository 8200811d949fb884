/** What the audit log says was written of an analysis. Who may change the rows of an analysis cannot change that. */

import { eq } from 'drizzle-orm';
import type { FileHashes } from '../audit/events.ts';
import { parseEntry, readLines } from '../audit/read.ts';
import type { Reader } from '../db/open.ts';
import { examinations } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { examinationSha256, isInAgreement, loadExamination } from './record.ts';
import type { Target } from './rows.ts';

export interface Recorded {
  /** SHA-256 of what was written last: `original`, `examination`, and heatmaps and reports by their names. */
  readonly hashes: FileHashes;
  /** ISO 8601; null when that is older than the log. */
  readonly examinedAt: string | null;
}

export function recordedIn(reader: Reader, { tenantId, analysisId }: Target): Recorded {
  const hashes: Record<string, string> = {};
  let examinedAt: string | null = null;
  for (const line of readLines(reader, { chain: tenantId, subject: analysisId })) {
    const { event, details } = parseEntry(line);
    if (event === 'analysis.received') hashes['original'] = details.sha256;
    if (event === 'analysis.completed') {
      hashes['examination'] = details.examinationSha256;
      examinedAt = details.examinedAt;
    }
    if (event === 'analysis.completed' || event === 'analysis.upgraded') {
      Object.assign(hashes, details.outputs);
    }
  }
  return { hashes, examinedAt };
}

/**
 * The whole examination, proven to be the one that the run left; null when the analysis has none. One that is older than
 * the log is taken as it is.
 *
 * @throws {ForensicsError} `evidence_damaged` when the row was changed since.
 */
export function loadRecorded(reader: Reader, target: Target): ReturnType<typeof loadExamination> {
  const { analysisId } = target;
  const isOfIt = eq(examinations.analysisId, analysisId);
  const row = reader.select().from(examinations).where(isOfIt).get();
  if (row === undefined) return null;
  if (!isAsRecorded(row, recordedIn(reader, target))) throw changed();
  return loadExamination(reader, analysisId);
}

/** The log has the hash of the examination and its time; what answers are made of has to agree with these. */
export function isAsRecorded(
  row: typeof examinations.$inferSelect,
  { hashes, examinedAt }: Recorded,
): boolean {
  const isChanged =
    isOther(hashes['examination'], examinationSha256(row)) ||
    isOther(examinedAt, row.examinedAt.toISOString());
  return !isChanged && isInAgreement(row);
}

function isOther(recorded: string | null | undefined, found: string): boolean {
  return recorded != null && recorded !== found;
}

function changed(): ForensicsError {
  return new ForensicsError(
    'evidence_damaged',
    'The stored result is not the one that the audit log recorded; restore the database from a backup, or create a new analysis.',
  );
}
