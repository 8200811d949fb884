/** Legal holds: what stays even if deleted. Members can place them for their tenant, but not lift the operator's. */

import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import type { LegalHold } from '../../contract/tenant.ts';
import { type Actor, type Note, operator } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { type Clocked, hasRow, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import { analyses, legalHolds, users } from '../../ports/db/schema.ts';
import { ForensicsError, conflict, notFound } from '../../contract/errors.ts';

export interface Held {
  readonly tenantId: string;
  /** Null for all the tenant's data. */
  readonly analysisId: string | null;
}

export function createHolds({ db, now }: Clocked) {
  return {
    /**
     * Places a hold. A user's hold becomes the operator's when the operator places the same one.
     *
     * @param by - a user, or the operator if omitted.
     * @throws {ForensicsError} `analysis_not_found`; `conflict` if it is already on hold.
     */
    add: async (hold: Held & { readonly reason: string }, by: Actor = operator) =>
      transact(db, async (tx) => {
        await assertAnalysisExists(tx, hold);
        const found = await findHold(tx, hold);
        if (found !== undefined && (by.type !== 'operator' || found.createdByUserId === null)) {
          throw conflict('This is already on hold.');
        }
        const placed = { reason: hold.reason, createdAt: now(), createdByUserId: by.id };
        const target = [legalHolds.tenantId, legalHolds.analysisId];
        await tx
          .insert(legalHolds)
          .values({ ...toRow(hold), ...placed })
          .onConflictDoUpdate({ target, set: placed })
          .run();
        await note(tx, hold, { actor: by, at: placed.createdAt, event: 'hold.added' });
        return (await selectHolds(tx, isOn(hold)))[0]!;
      }),
    /** @throws {ForensicsError} `not_found`; `conflict` if a user tries to lift the operator's hold. */
    remove: async (held: Held, by: Actor = operator) =>
      transact(db, async (tx) => {
        const found = await findHold(tx, held);
        if (found === undefined) throw notFound('Hold not found.');
        if (by.type !== 'operator' && found.createdByUserId === null) {
          throw conflict('The administrator of the service placed this hold; ask them to lift it.');
        }
        await tx.delete(legalHolds).where(isOn(held)).run();
        await note(tx, held, { actor: by, at: now(), event: 'hold.removed' });
      }),
    list: async (tenantId: string) => findHolds(db, tenantId),
  };
}

/** Also accepts a deleted analysis, because it can still be saved until it is purged. */
async function assertAnalysisExists(tx: Tx, { tenantId, analysisId }: Held): Promise<void> {
  if (analysisId === null) return;
  const isIt = and(eq(analyses.tenantId, tenantId), eq(analyses.id, analysisId));
  if (await hasRow(tx, analyses, isIt)) return;
  throw new ForensicsError('analysis_not_found', 'Analysis not found in this tenant.');
}

async function findHold(tx: Tx, held: Held) {
  return tx.select().from(legalHolds).where(isOn(held)).get();
}

function isOn(held: Held) {
  const { tenantId, analysisId } = toRow(held);
  return and(eq(legalHolds.tenantId, tenantId), eq(legalHolds.analysisId, analysisId));
}

async function note(
  tx: Tx,
  { tenantId, analysisId }: Held,
  act: Pick<Note<'hold.added' | 'hold.removed'>, 'actor' | 'at' | 'event'>,
) {
  await append(tx, { ...act, chain: tenantId, subject: analysisId ?? tenantId, details: {} });
}

export async function findHolds(reader: Reader, tenantId: string): Promise<readonly LegalHold[]> {
  return selectHolds(reader, eq(legalHolds.tenantId, tenantId));
}

const isItsAnalysis = and(
  eq(analyses.tenantId, legalHolds.tenantId),
  eq(analyses.id, legalHolds.analysisId),
);

async function selectHolds(reader: Reader, which: SQL | undefined): Promise<readonly LegalHold[]> {
  const { name, email } = users;
  const rows = await reader
    .select({ hold: legalHolds, analysisName: analyses.name, name, email })
    .from(legalHolds)
    .leftJoin(analyses, isItsAnalysis)
    .leftJoin(users, eq(users.id, legalHolds.createdByUserId))
    .where(which)
    .orderBy(asc(legalHolds.createdAt), asc(legalHolds.analysisId))
    .all();
  return rows.map(({ hold, analysisName, ...user }) => ({
    analysisId: hold.analysisId === '' ? null : hold.analysisId,
    analysisName,
    reason: hold.reason,
    createdDate: hold.createdAt.toISOString(),
    createdByUserId: hold.createdByUserId,
    createdByUserName: user.name ?? user.email,
  }));
}

/** SQL condition for queries of analyses: neither the analysis nor its tenant is on hold. */
export const isFree = sql`NOT EXISTS (SELECT 1 FROM ${legalHolds}
  WHERE ${legalHolds.tenantId} = ${analyses.tenantId} AND ${legalHolds.analysisId} IN ('', ${analyses.id}))`;

function toRow({ tenantId, analysisId }: Held) {
  return { tenantId, analysisId: analysisId ?? '' };
}
