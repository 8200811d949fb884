/** Delivers messages at least once, in order per subject; a receiver that does not respond delays only its own. */

import { createLoop } from '../jobs/worker.ts';
import { createAddressGuard } from '../../ports/network/address-guard.ts';
import { createSender, type Sender } from '../../ports/network/post.ts';
import {
  type Consequence,
  type Delivery,
  findReceiver,
  hasTurn,
  isWaiting,
  type Outbox,
  promoteNext,
} from './outbox.ts';
import { createHmac } from 'node:crypto';
import { type Db, newId, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, getTableColumns, gt, inArray, lt, sql } from 'drizzle-orm';
import type { DeliveryState } from '../../contract/vocabulary.ts';
import type { Delivery as ShownDelivery } from '../../contract/tenant.ts';
import { conflict, notFound } from '../../contract/errors.ts';
import { deliveries } from '../../ports/db/schema.ts';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';

export interface DelivererOptions {
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** The tenants' signing secrets are derived from it. */
  readonly serverKey: Uint8Array;
  /** Where webhooks may go: `external`, `private`, CIDRs. */
  readonly allow: readonly string[];
  readonly pollMs?: number;
  /** 0..1, used to spread the retries of a failing receiver; tests replace it. */
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
  /** Called for each failed attempt with its outcome, safe to log: never the URL, which may contain a token. */
  readonly onNotice?: (what: string, facts: Readonly<Record<string, string | number>>) => void;
}

const minuteMs = 60_000;

/** Pauses after the first, second, ... failed attempt; after the last one, the message is abandoned. */
const retryPausesMs: readonly number[] = [
  5000,
  ...[5, 30].map((minutes) => minutes * minuteMs),
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 60 * minuteMs),
];
// Keeps receivers that failed at the same time from being retried at the same time.
const jitter = 0.2;

const notices: Readonly<Partial<Record<Consequence['kind'], string>>> = {
  retry: 'webhook-failed',
  given_up: 'webhook-given-up',
  switched_off: 'webhook-switched-off',
};

const noReceiver = { kind: 'failed', detail: 'no_receiver' } as const;

const attemptsPerTenant = 4;

export function createDeliverer(options: DelivererOptions) {
  const { outbox, now, pollMs = 1000, onError = () => undefined } = options;
  const sender = createSender({ guard: createAddressGuard(options.allow) });
  const attempt = createAttempt(options, sender);
  /** Tasks are labelled by tenant id. */
  const loop = createLoop<string>({ turn, now, pollMs, onError });
  const stopListening = outbox.onAdded(() => loop.wake());
  let isStopping = false;

  const slots = (tenantId: string) => {
    const inUse = loop.inHand().filter((id) => id === tenantId).length;
    return (attempt.failing.has(tenantId) ? 1 : attemptsPerTenant) - inUse;
  };

  async function turn(): Promise<Date | null> {
    if (isStopping) return null;
    const dueAt = await outbox.nextDueAt(fullTenants());
    if (dueAt === null || dueAt > now()) return dueAt;
    for (const delivery of await outbox.claim(slots)) {
      loop.takeOn(attempt.make(delivery).catch(onError), delivery.tenantId);
    }
    return outbox.nextDueAt(fullTenants());
  }

  /** The end of an attempt wakes the loop, so tenants without a free slot need no timer. */
  function fullTenants(): string[] {
    return [...new Set(loop.inHand())].filter((tenantId) => slots(tenantId) <= 0);
  }

  return {
    start: () => loop.start(),
    /** Delivers until nothing is due or in progress. */
    drain: () => loop.drain(),
    /** Starts nothing new and waits for attempts in progress, at most 5 s. */
    async stop() {
      isStopping = true;
      stopListening();
      await loop.stop();
      await loop.settled();
      await sender.close();
    },
  };
}

function createAttempt(options: DelivererOptions, sender: Pick<Sender, 'post'>) {
  const { outbox, now, serverKey, random = Math.random, onNotice } = options;
  /** Tenants whose latest attempt failed. They get one attempt at a time until one succeeds. */
  const failing = new Set<string>();

  async function make(delivery: Delivery): Promise<void> {
    const { url, tenantId, payload, attempts } = delivery;
    if (url === null) {
      await outbox.conclude(delivery, noReceiver);
      return;
    }
    const message = { ...delivery, at: now(), body: payload };
    const headers = messageHeaders(webhookSecret(serverKey, tenantId), message);
    const outcome = await sender.post(url, payload, headers);
    if (outcome.kind === 'accepted') failing.delete(tenantId);
    else failing.add(tenantId);
    const pauseMs = outcome.kind === 'failed' ? retryPausesMs[attempts] : undefined;
    const spreadMs = (pauseMs ?? 0) * (1 + jitter * random());
    const retryAt = pauseMs === undefined ? null : new Date(now().getTime() + spreadMs);
    const consequence = await outbox.conclude(delivery, outcome, retryAt);
    const notice = notices[consequence.kind];
    if (notice !== undefined) onNotice?.(notice, facts(delivery, outcome.detail, consequence));
  }

  return { make, failing };
}

function facts(
  { tenantId, id: messageId, event, attempts }: Delivery,
  outcome: string,
  consequence: Consequence,
): Readonly<Record<string, string | number>> {
  const common = { tenantId, messageId, event, outcome, attempt: attempts + 1 };
  if (consequence.kind !== 'retry') return common;
  return { ...common, nextAttempt: consequence.at.toISOString() };
}

// Signs messages as the Standard Webhooks specification says; receivers can use any of its libraries.

/** `whsec_<base64 of 32 bytes>`, derived from the server's key: a stolen database is not enough to forge signatures. */
export function webhookSecret(serverKey: Uint8Array, tenantId: string): string {
  const secret = createHmac('sha256', serverKey).update(`webhook-secret/1/${tenantId}`).digest();
  return `whsec_${secret.toString('base64')}`;
}

interface Message {
  /** The same for every attempt of a message, so that the receiver recognises a repeat. */
  readonly id: string;
  readonly event: string;
  /** Time of this attempt; receivers reject old ones. */
  readonly at: Date;
  readonly body: string;
}

/** Of one attempt. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function messageHeaders(secret: string, { id, event, at, body }: Message): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'webhook-event': event,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  };
}

/** A test message: it contains no analysis, and is sent at once along the same path as real messages. */
interface TestMessage extends Pick<DelivererOptions, 'serverKey' | 'allow'> {
  readonly tenantId: string;
  readonly url: string;
  readonly at: Date;
}

/**
 * Writes nothing, whatever the receiver responds: a disabled webhook stays disabled. The body has neither `analysisId`
 * nor `status`, so that a receiver that ignores the event type cannot mistake it for a message about an analysis.
 */
export async function sendTestMessage(test: TestMessage) {
  const { tenantId, url, serverKey, allow, at } = test;
  // The `webhook-id` of the message, by which the receiver's log can be searched.
  const id = `test_${newId(at)}`;
  const body = JSON.stringify({ test: true, tenantId, timestamp: at.toISOString() });
  const message = { id, event: 'test', at, body };
  const headers = messageHeaders(webhookSecret(serverKey, tenantId), message);
  const sender = createSender({ guard: createAddressGuard(allow) });
  const begun = performance.now();
  try {
    const { kind, detail: outcome } = await sender.post(url, body, headers);
    const tookMs = Math.round(performance.now() - begun);
    return { id, isAccepted: kind === 'accepted', outcome, tookMs };
  } finally {
    await sender.close();
  }
}

// A tenant's messages as an administrator sees them: those waiting, and those of the last 30 days.

interface DeliveryQuery {
  readonly tenantId: string;
  readonly state: DeliveryState | null;
  /** Only messages written before the one with this id. */
  readonly before?: string;
  readonly limit: number;
}

/** Newest first. `attempts`: in the current round, if the message was queued again. */
export async function listDeliveries(
  reader: Reader,
  { tenantId, state, before, limit }: DeliveryQuery,
): Promise<readonly ShownDelivery[]> {
  const columns = getTableColumns(deliveries);
  const { seq: _seq, tenantId: _tenant, payload: _payload, fence: _fence, ...shown } = columns;
  const isInState = state === null ? undefined : eq(deliveries.state, state);
  const first = reader.select({ seq: deliveries.seq }).from(deliveries);
  const isBefore =
    before === undefined ? undefined : lt(deliveries.seq, first.where(eq(deliveries.id, before)));
  const rows = await reader
    .select(shown)
    .from(deliveries)
    .where(and(eq(deliveries.tenantId, tenantId), isInState, isBefore))
    .orderBy(desc(deliveries.seq))
    .limit(limit)
    .all();
  return rows.map(({ createdAt, nextAttemptAt, settledAt, ...entry }) => ({
    ...entry,
    createdDate: createdAt.toISOString(),
    nextAttemptDate: nextAttemptAt?.toISOString() ?? null,
    settledDate: settledAt?.toISOString() ?? null,
  }));
}

/** How many messages are waiting, and how many have been abandoned since a given time. */
export async function countBacklog(reader: Reader, since: Date) {
  const isGivenUp = and(eq(deliveries.state, 'given_up'), gt(deliveries.settledAt, since));
  const waiting = await reader.$count(deliveries, isWaiting);
  return { waiting, givenUp: await reader.$count(deliveries, isGivenUp) };
}

// A batch holds the database's only write lock for about 10 ms; others can write between two batches.
const batch = 1000;

/** @param before - messages settled earlier than this are deleted; waiting ones never are. */
export async function purgeDeliveries(db: Db, before: Date, signal?: AbortSignal): Promise<void> {
  const { seq, settledAt } = deliveries;
  const old = db.select({ seq }).from(deliveries).where(lt(settledAt, before)).limit(batch);
  for (;;) {
    const { changes } = await db.delete(deliveries).where(inArray(seq, old)).run();
    if (changes < batch || signal?.aborted === true) return;
    await setImmediate();
  }
}

interface Replay {
  readonly tenantId: string;
  /** One message by its id, or all abandoned messages. */
  readonly which: { readonly id: string } | 'given_up';
  readonly at: Date;
  readonly by: Actor;
}

/**
 * Queues settled messages again, with their ids: after one being delivered, ahead of newer ones about the subject.
 *
 * @returns the requeued messages, oldest first.
 * @throws {ForensicsError} `conflict` without a receiver or while the message is still waiting, `not_found`.
 */
export async function replay(db: Db, { tenantId, which, at, by }: Replay) {
  return transact(db, async (tx) => {
    if ((await findReceiver(tx, tenantId)) === null) {
      throw conflict(
        'The tenant has no webhook, or it was switched off; set its URL (again) with "forensics tenant update <name> --webhook-url <url>".',
      );
    }
    const isMeant =
      which === 'given_up' ? eq(deliveries.state, which) : await settled(tx, tenantId, which);
    // A new fence, because an attempt from the previous round may still be running and must not settle this one.
    const round = { ...freshRound, fence: sql`${deliveries.fence} + 1` };
    const isTheirs = and(eq(deliveries.tenantId, tenantId), isMeant);
    const queued = await tx.update(deliveries).set(round).where(isTheirs).returning().all();
    const rows = queued.toSorted((one, other) => one.seq - other.seq);
    for (const subject of new Set(rows.map((row) => row.subject))) {
      if (!(await hasTurn(tx, subject))) await promoteNext(tx, subject, at);
    }
    if (rows.length > 0) {
      const auditEvent = { event: 'webhook.replayed', details: { messages: rows.length } } as const;
      await append(tx, { chain: tenantId, at, actor: by, subject: tenantId, ...auditEvent });
    }
    return rows.map(({ id, event, subject }) => ({ id, event, subject }));
  });
}

const freshRound = {
  state: 'waiting',
  attempts: 0,
  lastOutcome: null,
  settledAt: null,
  nextAttemptAt: null,
} as const;

async function settled(tx: Tx, tenantId: string, { id }: { readonly id: string }) {
  const isIt = and(eq(deliveries.tenantId, tenantId), eq(deliveries.id, id));
  const found = await tx.select({ state: deliveries.state }).from(deliveries).where(isIt).get();
  if (found === undefined) {
    throw notFound('Message not found; "forensics webhooks list" shows those of the last 30 days.');
  }
  if (found.state === 'waiting') {
    throw conflict('The message is already waiting for its next attempt.');
  }
  return eq(deliveries.id, id);
}
