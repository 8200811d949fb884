/** The audit log of a tenant: a page, all that matches, and whether the chain holds, computed in this browser. */

import canonicalize from 'canonicalize';
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
const noHash = '0'.repeat(64);

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
  filters: AuditFilters = {},
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

export type ChainState =
  | { readonly isIntact: true; readonly count: number; readonly head: string }
  /** `seq`: of the entry that is not as it was written, or that lacks its neighbour. */
  | { readonly isIntact: false; readonly seq: number };

/**
 * Follows the chain from its newest entry back to its first. Does not believe the checksums that the server sends: each is
 * computed from the entry.
 *
 * @see src/service/audit/entry.ts, for how an entry is hashed.
 */
export async function checkChain(
  pages: AsyncIterable<readonly AuditEntry[]>,
  onProgress: (count: number) => void,
): Promise<ChainState> {
  let newer: AuditEntry | null = null;
  let head = noHash;
  let count = 0;
  for await (const page of pages) {
    for (const entry of page) {
      const hash = await sha256(lineOf(entry));
      const follows = newer === null || (newer.seq === entry.seq + 1 && newer.previous === hash);
      if (hash !== entry.hash || !follows) return { isIntact: false, seq: entry.seq };
      if (newer === null) head = hash;
      newer = entry;
      count++;
    }
    onProgress(count);
  }
  const isWhole = newer === null || (newer.seq === 1 && newer.previous === noHash);
  return isWhole ? { isIntact: true, count, head } : { isIntact: false, seq: newer!.seq };
}

/** As `forensics audit export` writes it, so that `forensics audit verify --file` reads it. */
export function lineOf({ hash: _hash, ...entry }: AuditEntry): string {
  return canonicalize(entry) ?? '';
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
