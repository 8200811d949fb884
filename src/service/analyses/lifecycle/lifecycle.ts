/**
 * Every change of state of an analysis, and nothing else: one act, one transaction. Each is a compare-and-set (the row
 * changes only if it still is what the act believes), with its job, its webhook message and its counters beside it.
 * Here are those that clients ask for and the end that retention makes; those of a run stand in worker.ts.
 */

import { eq } from 'drizzle-orm';
import { type Principal, systemPrincipal } from '../../access/principal.ts';
import type { EventDetails } from '../../audit/events.ts';
import { recall, remember } from '../../../ports/db/idempotency.ts';
import { pipelined, type Tx } from '../../../ports/db/database.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { type Drawn, examinationSha256, outputKeys, toRow } from '../examination-row.ts';
import { attachKeys } from '../orphan-objects.ts';
import {
  type AnalysisRow,
  findExpired,
  findRemaining,
  type Expired,
  getRow,
  type Remaining,
  type Target,
} from '../rows.ts';
import {
  type Act,
  inTenantTransaction,
  type Change,
  createMoves,
  type Ending,
  type EvidenceCopy,
  type LifecycleParts,
  messages,
  notRetryable,
  assertStartable,
  type Restart,
  toTarget,
  waitingAgain,
} from './transition.ts';
import { createRunActs } from './worker.ts';

/** Kind of the job that runs an analysis; its payload is a Target. */
export const runJob = 'analysis.run';

export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle(parts: LifecycleParts) {
  return { ...createClientActs(parts), ...createRunActs(parts) };
}

type NewRow = typeof analyses.$inferInsert;

function createClientActs({ db, queue, outbox, now }: LifecycleParts) {
  const { move, notify, log, countFor } = createMoves({ outbox, now });

  const enqueueRun = (tx: Tx, { tenantId, analysisId }: Target) =>
    queue.enqueue(tx, runJob, { tenantId, analysisId } satisfies Target, { owner: tenantId });

  const logReceived = async (tx: Tx, act: Act, { sha256, md5, sizeBytes }: EvidenceCopy) => {
    if (sizeBytes === null) return;
    const details = { sha256, md5, sizeBytes };
    await log(tx, act, { event: 'analysis.received', details, actor: act.actor });
  };

  return {
    /** (none) -> pending. Returns the id: of the earlier analysis when the request is a repetition. */
    create: async (row: NewRow, { actor, repeatable }: Omit<Act, keyof Target>): Promise<string> =>
      inTenantTransaction(db, row, async (tx) => {
        const earlier = await recall(tx, repeatable);
        if (earlier !== null) return earlier;
        const details = creationDetails(row);
        await pipelined(
          tx.insert(analyses).values(row).run(),
          log(tx, toTarget(row), { event: 'analysis.created', details, actor }),
          remember(tx, repeatable, row.id),
        );
        return row.id;
      }),

    /**
     * pending -> pending, now waiting for a worker. False when this is a repetition: the evidence is not used.
     *
     * @throws {ForensicsError} `analysis_not_pending`.
     */
    queueRun: (act: Act, evidence: EvidenceCopy) =>
      inTenantTransaction(db, act, async (tx): Promise<boolean> => {
        if ((await recall(tx, act.repeatable)) !== null) return false;
        assertStartable(await getRow(tx, act));
        const change = {
          queuedAt: now(),
          statusMessage: messages.queued,
          ...evidenceColumns(evidence),
        };
        await pipelined(
          attachKeys(tx, [evidence.key], now()),
          move(tx, act, { from: 'pending', change, actor: act.actor }),
          logReceived(tx, act, evidence),
          enqueueRun(tx, act),
          remember(tx, act.repeatable, act.analysisId),
        );
        return true;
      }),

    /** pending -> failed: what was uploaded cannot be analysed. @throws {ForensicsError} `analysis_not_pending`. */
    rejectUpload: async (act: Act, { code, message: statusMessage }: Ending): Promise<void> =>
      inTenantTransaction(db, act, async (tx) => {
        assertStartable(await getRow(tx, act));
        const change = { status: 'failed', statusMessage } as const;
        const row = await move(tx, act, { from: 'pending', change, actor: act.actor });
        if (row === null) return;
        await log(tx, act, { event: 'analysis.failed', details: { code }, actor: act.actor });
        await notify(tx, row);
      }),

    /** failed -> pending, waiting for a worker. False as above. @throws {ForensicsError} `analysis_not_retryable`. */
    restart: (act: Act, { options, modelVersion, evidence, seen }: Restart) =>
      inTenantTransaction(db, act, async (tx): Promise<boolean> => {
        if ((await recall(tx, act.repeatable)) !== null) return false;
        // Another retry ran and failed in between: options merged before it could undo a tier that it asked for.
        const present = await getRow(tx, act);
        if (present.updatedAt?.getTime() !== seen.updatedAt?.getTime()) throw notRetryable(present);
        const fresh = {
          ...waitingAgain,
          retryCount: 0,
          queuedAt: now(),
          processingFinishedAt: null,
        };
        const change = { ...fresh, ...options, modelVersion, ...evidenceColumns(evidence) };
        const row = await move(tx, act, { from: 'failed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        if (evidence.key !== present.evidenceKey) await attachKeys(tx, [evidence.key], now());
        await logReceived(tx, act, evidence);
        const { actor } = act;
        await pipelined(
          log(tx, act, { event: 'analysis.restarted', details: options, actor }),
          countFor(tx, row, ['retries', 1]),
          enqueueRun(tx, act),
          remember(tx, act.repeatable, act.analysisId),
        );
        return true;
      }),

    /** completed -> completed in the higher tier; billed here, once. False as above. @throws as above. */
    upgrade: (act: Act, drawn: Drawn) =>
      inTenantTransaction(db, act, async (tx): Promise<boolean> => {
        if ((await recall(tx, act.repeatable)) !== null) return false;
        const present = await getRow(tx, act);
        const { tier } = present;
        if (tier !== 'flagging') throw notRetryable(present);
        const at = { tierUpgradedFrom: tier, tierUpgradedAt: now() };
        const change = { tier: 'forensicReporting', ...at } as const;
        const row = await move(tx, act, { from: 'completed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        const which = eq(examinations.analysisId, act.analysisId);
        // The report looked at what flagging had left out.
        const record = toRow(act.analysisId, drawn);
        const { rendered, examination, methodMaps } = record;
        await tx.update(examinations).set({ rendered, examination, methodMaps }).where(which).run();
        await attachKeys(tx, outputKeys(drawn.rendered), now());
        const outputs = drawn.rendered.sha256;
        const details = { outputs, examinationSha256: examinationSha256(record) };
        await log(tx, act, { event: 'analysis.upgraded', details, actor: act.actor });
        await countFor(tx, row, ['billed.forensicReporting', 1], ['upgrades', 1]);
        await remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** Any state: hidden from now on. @throws {ForensicsError} `analysis_not_found`. */
    remove: async (target: Target, actor: Principal): Promise<void> =>
      inTenantTransaction(db, target, async (tx) =>
        hide(tx, await getRow(tx, target), { actor, because: 'asked' }),
      ),

    /** The same for those that nothing happened to for long; how many there were. */
    expire: async (forgotten: Expired): Promise<number> =>
      inTenantTransaction(db, forgotten, async (tx) => {
        const rows = await findExpired(tx, forgotten);
        const why = { actor: systemPrincipal, because: 'retention' } as const;
        for (const row of rows) await hide(tx, row, why);
        return rows.length;
      }),

    /** The same for those of a tenant that was deleted; how many there were. */
    removeRemaining: async (left: Remaining): Promise<number> =>
      inTenantTransaction(db, left, async (tx) => {
        const rows = await findRemaining(tx, left);
        const why = { actor: systemPrincipal, because: 'tenant' } as const;
        for (const row of rows) await hide(tx, row, why);
        return rows.length;
      }),
  };

  async function hide(
    tx: Tx,
    { status, ...row }: AnalysisRow,
    { actor, because }: Deletion,
  ): Promise<void> {
    const target = toTarget(row);
    const hidden = await move(tx, target, { from: status, change: { deletedAt: now() }, actor });
    if (hidden === null) return;
    await log(tx, target, { event: 'analysis.deleted', details: { because }, actor });
    await notify(tx, hidden, { event: 'delete' });
  }
}

function creationDetails(row: NewRow): EventDetails['analysis.created'] {
  const { format, width, height, model, decisionStrategy, tier, seed } = row;
  return { format, width, height, model, decisionStrategy, tier, seed };
}

interface Deletion {
  readonly actor: Principal;
  readonly because: EventDetails['analysis.deleted']['because'];
}

function evidenceColumns({ key, sha256, md5, inputEtag }: EvidenceCopy): Change {
  return { evidenceKey: key, evidenceSha256: sha256, evidenceMd5: md5, inputEtag };
}
