/** Legal holds: what a person said must stay, however long ago it was deleted. Clients neither see nor lift them. */

import { and, asc, eq, sql } from 'drizzle-orm';
import { operator } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { type Db, type Reader, transact, type Tx } from '../db/database.ts';
import { analyses, legalHolds } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';

/** What a hold is on. */
interface Held {
  readonly tenantId: string;
  /** Null for everything of the tenant. */
  readonly analysisId: string | null;
}

export interface Hold extends Held {
  readonly reason: string;
  readonly createdAt: Date;
}

/** The operator's alone, and so the audit log has them. */
export interface Holds {
  /** @throws {ForensicsError} `analysis_not_found`; `conflict` when it is on hold already. */
  add(hold: Held & { readonly reason: string }): Promise<Hold>;
  /** @throws {ForensicsError} `not_found`. */
  remove(held: Held): Promise<void>;
  /** Of one tenant, oldest first. */
  list(tenantId: string): Promise<readonly Hold[]>;
}

export function createHolds({ db, now }: { readonly db: Db; readonly now: () => Date }): Holds {
  const tell = async (
    tx: Tx,
    { tenantId, analysisId }: Held,
    event: 'hold.added' | 'hold.removed',
  ) => {
    const subject = analysisId ?? tenantId;
    await append(tx, { chain: tenantId, at: now(), actor: operator, event, subject, details: {} });
  };

  return {
    add: async (hold) =>
      transact(db, async (tx) => {
        const { tenantId, analysisId } = hold;
        if (analysisId !== null) {
          // A deleted one too: until its purge it can still be saved.
          const isIt = and(eq(analyses.tenantId, tenantId), eq(analyses.id, analysisId));
          const found = await tx.select({ id: analyses.id }).from(analyses).where(isIt).get();
          if (found === undefined) throw noAnalysis();
        }
        const row = { ...toRow(hold), reason: hold.reason, createdAt: now() };
        const { changes } = await tx.insert(legalHolds).values(row).onConflictDoNothing().run();
        if (changes === 0) throw new ForensicsError('conflict', 'There is already a hold on this.');
        await tell(tx, hold, 'hold.added');
        return { ...hold, createdAt: row.createdAt };
      }),
    remove: async (held) =>
      transact(db, async (tx) => {
        const { tenantId, analysisId } = toRow(held);
        const isIt = and(eq(legalHolds.tenantId, tenantId), eq(legalHolds.analysisId, analysisId));
        const { changes } = await tx.delete(legalHolds).where(isIt).run();
        if (changes === 0) throw new ForensicsError('not_found', 'There is no such hold.');
        await tell(tx, held, 'hold.removed');
      }),
    list: async (tenantId) => findHolds(db, tenantId),
  };
}

/** Of one tenant, oldest first. */
export async function findHolds(reader: Reader, tenantId: string): Promise<readonly Hold[]> {
  return (
    await reader
      .select()
      .from(legalHolds)
      .where(eq(legalHolds.tenantId, tenantId))
      .orderBy(asc(legalHolds.createdAt), asc(legalHolds.analysisId))
      .all()
  ).map((row) => ({ ...row, analysisId: row.analysisId === '' ? null : row.analysisId }));
}

/** For queries of analyses: neither the analysis nor its tenant is on hold. */
export const isFree = sql`NOT EXISTS (SELECT 1 FROM ${legalHolds}
  WHERE ${legalHolds.tenantId} = ${analyses.tenantId} AND ${legalHolds.analysisId} IN ('', ${analyses.id}))`;

function toRow({ tenantId, analysisId }: Held) {
  return { tenantId, analysisId: analysisId ?? '' };
}

function noAnalysis(): ForensicsError {
  return new ForensicsError('analysis_not_found', 'The tenant has no such analysis.');
}
