import { setImmediate } from 'node:timers/promises';
import type { Analysis } from '../../contract/analysis.ts';
import { maxListed } from '../../contract/limits.ts';
import type { ResultClass, Status } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import { writeEvidence } from '../../present/evidence.ts';
import type { Stores } from '../../ports/storage/stores.ts';
import type { Caller, Context } from './analyses.ts';
import { loadExamined } from './examination-row.ts';
import { type Entry, findEntries, getEntry } from './rows.ts';
import { viewAnalysis } from './view.ts';

export interface ListQuery {
  readonly verdict?: ResultClass;
  readonly status?: Status;
  readonly tag?: string;
  /** ISO 8601; the first is part of the period, the second not. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
  /** Literal text, sought without regard to case in name, comment and the name of the person who changed it last. */
  readonly searchTerm?: string;
  /** Zero-based, default 0. */
  readonly start?: number;
  /** At least 1; more than `maxListed` are never answered. */
  readonly limit?: number;
}

export interface AnalysisPage {
  readonly analyses: readonly Analysis[];
  readonly startIndex: number;
  /** Exclusive. */
  readonly endIndex: number;
  /** Number of analyses on this page. */
  readonly total: number;
  /** Number of all that match. */
  readonly totalCount: number;
}

// Some hundredths of a second; then other requests can run.
const signedAtOnce = 25;

/** One page, newest first. @throws {ForensicsError} `invalid_request`. */
export async function listAnalyses(
  { db, stores, now }: Pick<Context, 'db' | 'stores' | 'now'>,
  { tenant }: Pick<Caller, 'tenant'>,
  { searchTerm = '', start = 0, limit = maxListed, ...filters }: ListQuery,
): Promise<AnalysisPage> {
  assertWholeNumber('start', start, 0);
  assertWholeNumber('limit', limit, 1);
  const page = { searchTerm, start, limit: Math.min(limit, maxListed), ...filters };
  const { entries, total } = await findEntries(db, tenant.id, page);
  return {
    analyses: await viewAll(entries, { stores, now: now() }),
    startIndex: start,
    endIndex: start + entries.length,
    total: entries.length,
    totalCount: total,
  };
}

async function viewAll(
  entries: readonly Entry[],
  { stores, now }: { readonly stores: Stores; readonly now: Date },
): Promise<Analysis[]> {
  const views: Analysis[] = [];
  for (const entry of entries) {
    if (views.length > 0 && views.length % signedAtOnce === 0) await setImmediate();
    views.push(await viewAnalysis(entry, { store: await stores.of(entry.analysis), now }));
  }
  return views;
}

/** @throws {ForensicsError} `analysis_not_found`. */
export async function getAnalysis(
  { db, stores, now }: Context,
  { tenant }: Pick<Caller, 'tenant'>,
  analysisId: string,
): Promise<Analysis> {
  const entry = await getEntry(db, { tenantId: tenant.id, analysisId });
  const evidence = async () => writeEvidence(await loadExamined(db, analysisId));
  return viewAnalysis(entry, { store: await stores.of(entry.analysis), now: now(), evidence });
}

function assertWholeNumber(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ForensicsError('invalid_request', `${field} must be a whole number from ${least} up.`);
}
