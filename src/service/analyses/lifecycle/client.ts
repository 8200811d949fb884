/**
 * State changes requested by clients, and removal by retention. For the changes during a run, see worker.ts. Each
 * change is one transaction: a compare-and-set (the row changes only if it is still in the expected state), with its
 * job, webhook message and counters.
 */

import { isDeepStrictEqual } from 'node:util';
import { withoutUndefined } from '../../../contract/common.ts';
import { eq } from 'drizzle-orm';
import { type Principal, systemPrincipal } from '../../access/principal.ts';
import type { Actor, EventDetails } from '../../audit/entry.ts';
import { pipelined, type Tx } from '../../../ports/db/database.ts';
import type { Description } from '../../../contract/analysis.ts';
import { recall, remember } from '../../idempotency.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { type Drawn, examinationSha256, outputKeys, toRow } from '../examination-row.ts';
import {
  type AnalysisRow,
  deleteThumbnail,
  foldDescription,
  getRow,
  type Target,
} from '../rows.ts';
import { deleteFingerprint } from '../seen-before.ts';
import {
  type Act,
  assertStartable,
  type Change,
  type Changes,
  type Ending,
  type EvidenceCopy,
  inTenantTransaction,
  type LifecycleParts,
  messages,
  notRetryable,
  type Restart,
  toTarget,
  waitingAgain,
} from './changes.ts';

/** Kind of the job that runs an analysis; its payload is a Target. */
export const runJob = 'analysis.run';

/** (none) -> pending. Returns the id; for a repeated request, the id of the earlier analysis. */
export async function insertAnalysis(
  parts: LifecycleParts,
  row: typeof analyses.$inferInsert,
  { actor, repeatable }: Omit<Act, keyof Target>,
): Promise<string> {
  return inTenantTransaction(parts, row, async ({ tx, log }) => {
    const earlier = await recall(tx, repeatable);
    if (earlier !== null) return earlier;
    const { format, width, height, model, decisionStrategy, tier, seed } = row;
    const details = { format, width, height, model, decisionStrategy, tier, seed };
    await pipelined(
      tx.insert(analyses).values(row).run(),
      log(toTarget(row), { event: 'analysis.created', details, actor }),
      remember(tx, repeatable, row.id),
    );
    return row.id;
  });
}

/** pending -> pending, now queued; false for a repeat, whose evidence is unused. @throws `analysis_not_pending`. */
export async function queueRun(parts: LifecycleParts, act: Act, evidence: EvidenceCopy) {
  return once(parts, act, async (changes) => {
    const { tx, at, move } = changes;
    assertStartable(await getRow(tx, act));
    const waiting = { queuedAt: at, statusMessage: messages.queued };
    const change = { ...waiting, ...evidenceColumns(evidence) };
    await pipelined(
      move(act, 'pending', change, act),
      receive(changes, act, evidence),
      enqueueRun(parts, tx, act),
    );
  });
}

/** pending -> failed, because the upload cannot be analysed. @throws {ForensicsError} `analysis_not_pending`. */
export async function rejectUpload(
  parts: LifecycleParts,
  act: Act,
  { code, message: statusMessage, reason: failure }: Ending,
): Promise<void> {
  await inTenantTransaction(parts, act, async ({ tx, move, log, notify }) => {
    assertStartable(await getRow(tx, act));
    const change = { status: 'failed', statusMessage, failure } as const;
    const row = await move(act, 'pending', change, act);
    if (row === null) return;
    await log(act, { event: 'analysis.failed', details: { code }, actor: act.actor });
    await notify(row);
  });
}

/** failed -> pending, waiting for a worker. Returns false as above. @throws {ForensicsError} `analysis_not_retryable`. */
export async function restartRun(
  parts: LifecycleParts,
  act: Act,
  { options, modelVersion, evidence, seen }: Restart,
): Promise<boolean> {
  return once(parts, act, async (changes) => {
    const { tx, at, move, log, count } = changes;
    // If another retry ran and failed in between, options merged earlier could undo the tier that it requested.
    const present = await getRow(tx, act);
    if (present.updatedAt?.getTime() !== seen.updatedAt?.getTime()) throw notRetryable(present);
    const fresh = { ...waitingAgain, retryCount: 0, queuedAt: at, processingFinishedAt: null };
    const copied = evidence && evidenceColumns(evidence);
    const change = { ...fresh, ...options, modelVersion, ...copied };
    const { actor } = act;
    const row = await move(act, 'failed', change, act);
    if (row === null) throw notRetryable(present);
    if (evidence !== null) await receive(changes, act, evidence);
    await pipelined(
      log(act, { event: 'analysis.restarted', details: options, actor }),
      count(row, ['retries', 1]),
      enqueueRun(parts, tx, act),
    );
  });
}

/** completed -> completed in the higher tier, billed here and only once. Returns false as above. @throws as above. */
export async function upgradeTier(parts: LifecycleParts, act: Act, drawn: Drawn): Promise<boolean> {
  return once(parts, act, async ({ tx, at, move, log, count, attach }) => {
    const present = await getRow(tx, act);
    const { tier } = present;
    if (tier !== 'flagging') throw notRetryable(present);
    const upgraded = { tierUpgradedFrom: tier, tierUpgradedAt: at };
    const change = { tier: 'forensicReporting', ...upgraded } as const;
    const row = await move(act, 'completed', change, act);
    if (row === null) throw notRetryable(present);
    // The report also covers what the flagging tier left out.
    const record = toRow(act.analysisId, drawn);
    const { rendered, examination, methodMaps } = record;
    const which = eq(examinations.analysisId, act.analysisId);
    await tx.update(examinations).set({ rendered, examination, methodMaps }).where(which).run();
    await attach(outputKeys(drawn.rendered));
    const outputs = drawn.rendered.sha256;
    const details = { outputs, examinationSha256: examinationSha256(record) };
    await log(act, { event: 'analysis.upgraded', details, actor: act.actor });
    await count(row, ['billed.forensicReporting', 1], ['upgrades', 1]);
  });
}

/** Any state: changes the description or the case. @throws {ForensicsError} `analysis_not_found`. */
export async function describeAnalysis(
  parts: LifecycleParts,
  target: Target,
  description: Description,
  actor: Principal,
): Promise<void> {
  const { comment, tags, projectId, caseData } = description;
  const described = withoutUndefined({ comment, tags, projectId, caseData });
  await inTenantTransaction(parts, target, async ({ tx, move, log }) => {
    const row = await getRow(tx, target);
    const before: Readonly<Record<string, unknown>> = row;
    const given = Object.entries(described);
    const changed = given.filter(([field, value]) => !isDeepStrictEqual(value, before[field]));
    const fields = changed.map(([field]) => field);
    if (fields.length === 0) return;
    const change = { ...described, commentFolded: foldDescription({ ...row, ...described }) };
    await move(target, row.status, change, { actor });
    await log(target, { event: 'analysis.described', details: { fields }, actor });
  });
}

/** Any state: hides the analysis from now on. @throws {ForensicsError} `analysis_not_found`. */
export async function removeAnalysis(parts: LifecycleParts, target: Target, actor: Principal) {
  await inTenantTransaction(parts, target, async (changes) =>
    hide(changes, await getRow(changes.tx, target), { actor, because: 'asked' }),
  );
}

interface Removal extends Omit<Hiding, 'actor'> {
  readonly tenantId: string;
  readonly find: (tx: Tx) => Promise<readonly AnalysisRow[]>;
}

/** Hides what `find` finds in the same transaction. @returns the number hidden. */
export async function removeAll(parts: LifecycleParts, { tenantId, find, ...why }: Removal) {
  return inTenantTransaction(parts, { tenantId }, async (changes) => {
    const rows = await find(changes.tx);
    for (const row of rows) await hide(changes, row, { actor: systemPrincipal, ...why });
    return rows.length;
  });
}

/** Returns false, and changes nothing, if the same request has been made before with its Idempotency-Key. */
async function once(parts: LifecycleParts, act: Act, change: (changes: Changes) => Promise<void>) {
  return inTenantTransaction(parts, act, async (changes) => {
    if ((await recall(changes.tx, act.repeatable)) !== null) return false;
    await change(changes);
    await remember(changes.tx, act.repeatable, act.analysisId);
    return true;
  });
}

async function enqueueRun(parts: LifecycleParts, tx: Tx, { tenantId, analysisId }: Target) {
  const payload: Target = { tenantId, analysisId };
  await parts.queue.enqueue(tx, runJob, payload, { owner: tenantId });
}

async function receive({ log, attach }: Changes, act: Act, evidence: EvidenceCopy) {
  const { key, sha256, md5, sizeBytes } = evidence;
  const details = { sha256, md5, sizeBytes };
  await pipelined(
    attach([key]),
    log(act, { event: 'analysis.received', details, actor: act.actor }),
  );
}

function evidenceColumns({ key, sha256, md5, inputEtag }: EvidenceCopy): Change {
  return { evidenceKey: key, evidenceSha256: sha256, evidenceMd5: md5, inputEtag };
}

interface Hiding {
  readonly actor: Principal;
  readonly because: EventDetails['analysis.deleted']['because'];
  /** Who is responsible; if omitted, the actor. */
  readonly by?: Principal | Actor;
}

async function hide(
  { tx, at, move, log, notify }: Changes,
  { status, ...row }: AnalysisRow,
  { actor, because, by = actor }: Hiding,
): Promise<void> {
  const target = toTarget(row);
  const hidden = await move(target, status, { deletedAt: at }, { actor });
  if (hidden === null) return;
  await log(target, { event: 'analysis.deleted', details: { because }, actor: by });
  await deleteFingerprint(tx, target);
  await deleteThumbnail(tx, target);
  await notify(hidden, 'delete');
}
