/** Changes of state that clients ask for, and the end that retention makes. */

import { eq } from 'drizzle-orm';
import { type Principal, systemPrincipal } from '../../access/principal.ts';
import type { EventDetails } from '../../audit/events.ts';
import { recall, remember } from '../../db/idempotency.ts';
import { transact, type Tx } from '../../db/open.ts';
import { analyses, examinations } from '../../db/schema.ts';
import { keysOf, type Rendered, renderedText } from '../examination-row.ts';
import { claimObjects } from '../orphan-objects.ts';
import {
  type AnalysisRow,
  findForgotten,
  findLeft,
  type Forgotten,
  getRow,
  type Left,
  type Target,
} from '../rows.ts';
import {
  type Act,
  type Ending,
  type Evidence,
  messages,
  notRetryable,
  refuseUnlessStartable,
  type Restart,
} from './act.ts';
import {
  type Change,
  createMoves,
  type LifecycleParts,
  targetOf,
  waitingAgain,
} from './transition.ts';

/** Kind of the job that runs an analysis; its payload is a Target. */
export const runJob = 'analysis.run';

type NewRow = typeof analyses.$inferInsert;

export function createClientActs({ db, queue, outbox, now }: LifecycleParts) {
  const { move, tell, log, countFor } = createMoves({ outbox, now });

  const enqueueRun = (tx: Tx, { tenantId, analysisId }: Target) =>
    queue.enqueue(tx, runJob, { tenantId, analysisId } satisfies Target, { owner: tenantId });

  const logReceived = (tx: Tx, act: Act, { sha256, md5, sizeBytes }: Evidence) => {
    if (sizeBytes === null) return;
    const details = { sha256, md5, sizeBytes };
    log(tx, act, { event: 'analysis.received', details, actor: act.actor });
  };

  return {
    /** (none) -> pending. Returns the id: of the earlier analysis when the request is a repetition. */
    create: (row: NewRow, { actor, repeatable }: Omit<Act, keyof Target>): string =>
      transact(db, (tx) => {
        const earlier = recall(tx, repeatable);
        if (earlier !== null) return earlier;
        tx.insert(analyses).values(row).run();
        log(tx, targetOf(row), { event: 'analysis.created', details: creationOf(row), actor });
        remember(tx, repeatable, row.id);
        return row.id;
      }),

    /**
     * pending -> pending, now waiting for a worker. False when this is a repetition: the evidence is not used.
     *
     * @throws {ForensicsError} `analysis_not_pending`.
     */
    queueRun: (act: Act, evidence: Evidence) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        refuseUnlessStartable(getRow(tx, act));
        claimObjects(tx, [evidence.key], now());
        const change = { queuedAt: now(), statusMessage: messages.queued, ...columnsOf(evidence) };
        move(tx, act, { from: 'pending', change, actor: act.actor });
        logReceived(tx, act, evidence);
        enqueueRun(tx, act);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** pending -> failed: what was uploaded cannot be analysed. @throws {ForensicsError} `analysis_not_pending`. */
    refuseUpload: (act: Act, { code, message: statusMessage }: Ending): void =>
      transact(db, (tx) => {
        refuseUnlessStartable(getRow(tx, act));
        const change = { status: 'failed', statusMessage } as const;
        const row = move(tx, act, { from: 'pending', change, actor: act.actor });
        if (row === null) return;
        log(tx, act, { event: 'analysis.failed', details: { code }, actor: act.actor });
        tell(tx, row);
      }),

    /** failed -> pending, waiting for a worker. False as above. @throws {ForensicsError} `analysis_not_retryable`. */
    restart: (act: Act, { options, modelVersion, evidence, seen }: Restart) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        // Another retry ran and failed in between: options merged before it could undo a tier that it asked for.
        const present = getRow(tx, act);
        if (present.updatedAt?.getTime() !== seen.updatedAt?.getTime()) throw notRetryable(present);
        const fresh = {
          ...waitingAgain,
          retryCount: 0,
          queuedAt: now(),
          processingFinishedAt: null,
        };
        const change = { ...fresh, ...options, modelVersion, ...columnsOf(evidence) };
        const row = move(tx, act, { from: 'failed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        if (evidence.key !== present.evidenceKey) claimObjects(tx, [evidence.key], now());
        logReceived(tx, act, evidence);
        const { actor } = act;
        log(tx, act, { event: 'analysis.restarted', details: options, actor });
        countFor(tx, row, ['retries', 1]);
        enqueueRun(tx, act);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** completed -> completed in the higher tier; billed here, once. False as above. @throws as above. */
    upgrade: (act: Act, rendered: Rendered) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        const present = getRow(tx, act);
        const { tier } = present;
        if (tier !== 'flagging') throw notRetryable(present);
        const at = { tierUpgradedFrom: tier, tierUpgradedAt: now() };
        const change = { tier: 'forensicReporting', ...at } as const;
        const row = move(tx, act, { from: 'completed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        const which = eq(examinations.analysisId, act.analysisId);
        tx.update(examinations)
          .set({ rendered: renderedText(rendered) })
          .where(which)
          .run();
        claimObjects(tx, keysOf(rendered), now());
        const details = { outputs: rendered.sha256 };
        log(tx, act, { event: 'analysis.upgraded', details, actor: act.actor });
        countFor(tx, row, ['billed.forensicReporting', 1], ['upgrades', 1]);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** Any state: hidden from now on. @throws {ForensicsError} `analysis_not_found`. */
    remove: (target: Target, actor: Principal): void =>
      transact(db, (tx) => hide(tx, getRow(tx, target), { actor, because: 'asked' })),

    /** The same for those that nothing happened to for long; how many there were. */
    expire: (forgotten: Forgotten): number =>
      transact(db, (tx) => {
        const rows = findForgotten(tx, forgotten);
        const why = { actor: systemPrincipal, because: 'retention' } as const;
        for (const row of rows) hide(tx, row, why);
        return rows.length;
      }),

    /** The same for those of a tenant that was deleted; how many there were. */
    removeLeft: (left: Left): number =>
      transact(db, (tx) => {
        const rows = findLeft(tx, left);
        const why = { actor: systemPrincipal, because: 'tenant' } as const;
        for (const row of rows) hide(tx, row, why);
        return rows.length;
      }),
  };

  function hide(tx: Tx, { status, ...row }: AnalysisRow, { actor, because }: Deletion): void {
    const target = targetOf(row);
    const hidden = move(tx, target, { from: status, change: { deletedAt: now() }, actor });
    if (hidden === null) return;
    log(tx, target, { event: 'analysis.deleted', details: { because }, actor });
    tell(tx, hidden, 'delete');
  }
}

function creationOf(row: NewRow): EventDetails['analysis.created'] {
  const { format, width, height, model, decisionStrategy, tier, seed } = row;
  return { format, width, height, model, decisionStrategy, tier, seed };
}

interface Deletion {
  readonly actor: Principal;
  readonly because: EventDetails['analysis.deleted']['because'];
}

function columnsOf({ key, sha256, md5, inputEtag }: Evidence): Change {
  return { evidenceKey: key, evidenceSha256: sha256, evidenceMd5: md5, inputEtag };
}
