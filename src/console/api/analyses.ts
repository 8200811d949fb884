/** The operations on analyses that the pages need. */

import type { Analysis } from '../../contract/analysis.ts';
import type { ResultClass, Status } from '../../contract/vocabulary.ts';
import { ask, askWhole } from './client.ts';

export interface Filters {
  readonly searchTerm?: string;
  readonly verdict?: ResultClass | '';
  readonly status?: Status | '';
  readonly tag?: string;
  /** The full name of a case. */
  readonly projectId?: string;
  /** Dates without a time, in the user's time zone; both are part of the period. */
  readonly from?: string;
  readonly to?: string;
}

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
  const { json, headers } = await askWhole<List>('/v1/analysis', { query, signal });
  const count = (name: string) => Number(headers.get(name) ?? 0);
  return {
    entries: json.data,
    totalCount: count('x-total-count'),
    ofOneCamera: count('x-one-camera-count'),
  };
}

interface List {
  readonly data: readonly Analysis[];
}

/** The start of the local day `later` days after this one; undefined if it is not a date. */
export function dayStart(day: string | undefined, later: number): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (match === null) return undefined;
  const [year, month, date] = match.slice(1).map(Number);
  return new Date(year!, month! - 1, date! + later).toISOString();
}

export async function getAnalysis(
  tenantName: string,
  id: string,
  signal?: AbortSignal,
): Promise<Analysis> {
  const query = { tenantName, id };
  return (await ask<List['data']>('/v1/analysis', { query, signal }))[0]!;
}

export async function removeAnalysis(
  tenantName: string,
  id: string,
  keepalive = false,
): Promise<void> {
  await ask('/v1/analysis', { method: 'DELETE', body: { tenantName, id }, keepalive });
}

/** Runs a failed analysis again, or upgrades a completed one. */
export async function retryAnalysis(
  tenantName: string,
  id: string,
  options: object,
): Promise<Analysis> {
  const body = { tenantName, id, options };
  return (await ask<List['data']>('/v1/analysis/retry', { body }))[0]!;
}

const undoMs = 8000;

/** Deletions that can be undone: the request is sent only when the time for undoing is over or the page closes. */
export function createDeletions(send: typeof removeAnalysis) {
  const hidden = new Set<string>();
  const waiting = new Set<(isLast: boolean) => void>();
  return {
    /** Analyses that the lists no longer show. */
    hidden: hidden as ReadonlySet<string>,
    /** @returns a function that undoes the deletion. */
    remove(tenantName: string, ids: readonly string[], onChange: (error?: unknown) => void) {
      for (const id of ids) hidden.add(id);
      const act = (isLast: boolean): void => {
        clearTimeout(timer);
        waiting.delete(act);
        void Promise.all(ids.map((id) => send(tenantName, id, isLast))).catch((error: unknown) => {
          for (const id of ids) hidden.delete(id);
          onChange(error);
        });
      };
      const timer = setTimeout(() => act(false), undoMs);
      waiting.add(act);
      onChange();
      return () => {
        clearTimeout(timer);
        waiting.delete(act);
        for (const id of ids) hidden.delete(id);
        onChange();
      };
    },
    /** Sends all pending deletions with requests that outlive the page. */
    flush(): void {
      for (const act of waiting) act(true);
    },
  };
}
