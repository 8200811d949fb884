/** The audit log of a tenant: a page, and all that matches. */

import type { AuditEntry } from '../../contract/audit.ts';
import { ask } from './client.ts';

export interface AuditFilters {
  readonly event?: string;
  readonly subject?: string;
  /** Moments, as ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

interface Page {
  readonly before?: string | number | null;
  readonly limit: number;
}

const largestPage = 1000;

/** Newest first. @throws {ApiError} */
export async function readAudit(
  tenantName: string,
  filters: AuditFilters,
  { before, limit }: Page,
  signal?: AbortSignal,
): Promise<readonly AuditEntry[]> {
  const { data } = await ask<{ readonly data: readonly AuditEntry[] }>('/v1/tenant/audit', {
    query: { tenantName, ...filters, before: before ?? undefined, limit },
    ...(signal === undefined ? {} : { signal }),
  });
  return data;
}

/** All that match, newest first, page by page. @throws {ApiError} */
export async function* readWholeAudit(
  tenantName: string,
  filters: AuditFilters,
): AsyncGenerator<readonly AuditEntry[]> {
  let before: number | null = null;
  for (;;) {
    const page: readonly AuditEntry[] = await readAudit(tenantName, filters, {
      before,
      limit: largestPage,
    });
    yield page;
    if (page.length < largestPage) return;
    before = page.at(-1)!.seq;
  }
}
