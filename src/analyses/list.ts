import { ForensicsError } from '../errors.ts';
import type { Analysis } from './analysis.ts';
import type { Caller, Context } from './context.ts';
import { findEntries, getEntry } from './rows.ts';
import { viewAnalysis } from './view.ts';

export interface ListQuery {
  /** Literal text, sought without regard to case in name, comment and the name of the person who changed it last. */
  readonly searchTerm?: string;
  /** Zero-based, default 0. */
  readonly start?: number;
  /** At least 1; without it at most 1,000 are answered. */
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

const defaultLimit = 1000;
// Every analysis is answered with up to seven freshly signed sets of URLs; more would hold everybody else up.
const mostLimit = 10_000;

/** One page, newest first. @throws {ForensicsError} `invalid_request`. */
export async function listAnalyses(
  { db, stores, now }: Pick<Context, 'db' | 'stores' | 'now'>,
  { tenant }: Pick<Caller, 'tenant'>,
  { searchTerm = '', start = 0, limit = defaultLimit }: ListQuery,
): Promise<AnalysisPage> {
  refuseUnlessWhole('start', start, 0);
  refuseUnlessWhole('limit', limit, 1);
  const page = { searchTerm, start, limit: Math.min(limit, mostLimit) };
  const { entries, total } = findEntries(db, tenant.id, page);
  const at = now();
  return {
    analyses: entries.map((entry) =>
      viewAnalysis(entry, { store: stores.of(entry.analysis), now: at }),
    ),
    startIndex: start,
    endIndex: start + entries.length,
    total: entries.length,
    totalCount: total,
  };
}

/** @throws {ForensicsError} `analysis_not_found`. */
export async function getAnalysis(
  { db, stores, now }: Context,
  { tenant }: Pick<Caller, 'tenant'>,
  analysisId: string,
): Promise<Analysis> {
  const entry = getEntry(db, { tenantId: tenant.id, analysisId });
  return viewAnalysis(entry, { store: stores.of(entry.analysis), now: now() });
}

function refuseUnlessWhole(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ForensicsError('invalid_request', `${field} must be a whole number from ${least} up.`);
}
