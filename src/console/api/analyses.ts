/** The operations on analyses that the pages need. */

import type { Analysis } from '../../contract/analysis.ts';
import { ask, askWhole } from './client.ts';

type FilterName = 'searchTerm' | 'verdict' | 'status' | 'tag' | 'projectId' | 'from' | 'to';

/** `projectId`: the full name of a case. `from`, `to`: days in the user's time zone; both are part of the period. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

export interface Page {
  readonly entries: readonly Analysis[];
  readonly totalCount: number;
  /** For a case, how many of its pictures came from one camera; otherwise 0. */
  readonly ofOneCamera: number;
}

export async function listAnalyses(
  tenantName: string,
  { from, to, ...filters }: Filters,
  place: { readonly start: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<Page> {
  const period = { createdFrom: dayStart(from, 0), createdTo: dayStart(to, 1) };
  const query = { tenantName, ...filters, ...period, ...place };
  const question = { query, signal };
  const { data: entries, headers } = await askWhole<readonly Analysis[]>('/v1/analysis', question);
  const count = (name: string) => Number(headers.get(name) ?? 0);
  return { entries, totalCount: count('x-total-count'), ofOneCamera: count('x-one-camera-count') };
}

const largestPage = 1000;

export async function listAllAnalyses(
  tenantName: string,
  filters: Filters,
  signal?: AbortSignal,
): Promise<Page> {
  const entries: Analysis[] = [];
  for (;;) {
    const place = { start: entries.length, limit: largestPage };
    const page = await listAnalyses(tenantName, filters, place, signal);
    entries.push(...page.entries);
    if (page.entries.length < largestPage) return { ...page, entries };
  }
}

/** The start of the local day `later` days after this one; undefined if it is not a date. */
export function dayStart(day: string | undefined, later: number): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (match === null) return undefined;
  const [year, month, date] = match.slice(1).map(Number);
  return new Date(year!, month! - 1, date! + later).toISOString();
}

export async function getAnalysis(query: NamedAnalysis, signal?: AbortSignal): Promise<Analysis> {
  return (await ask<readonly [Analysis]>('/v1/analysis', { query, signal }))[0];
}

export type NamedAnalysis = Readonly<Record<'tenantName' | 'id', string>>;

export async function removeAnalysis(body: NamedAnalysis): Promise<void> {
  await ask('/v1/analysis', { method: 'DELETE', body });
}
