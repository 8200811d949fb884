/**
 * Messages from users to the team. They are stored first and then sent to the administrator's receiver, if there is
 * one; the message and its send job are written in one transaction. Knows nothing about HTTP or accounts.
 */

import { and, desc, eq, lt, not, sql } from 'drizzle-orm';
import type { FeedbackMessage } from '../../contract/auth.ts';
import {
  type Clocked,
  type Db,
  newId,
  type Reader,
  transact,
  type Tx,
} from '../../ports/db/database.ts';
import { feedback, type FeedbackOutcome, tenants } from '../../ports/db/schema.ts';
import { invalidRequest, notFound } from '../../contract/errors.ts';
import type { Job, Queue } from '../jobs/queue.ts';
import type { Outcome, Sender } from '../../ports/network/post.ts';

/** A message with what the service itself knows about its sender. */
export type Submission = Readonly<
  Omit<typeof feedback.$inferSelect, 'source' | 'outcomes'> & { tenantName: string }
>;

export const sendJob = 'feedback.send';

interface FeedbackOptions extends Clocked {
  readonly queue: Queue;
  readonly sender: Pick<Sender, 'post'>;
  /** The administrator's receiver; if null, messages are only stored. */
  readonly url: string | null;
  /** Receives an error for each message that will no longer be sent. */
  readonly onError?: (error: unknown) => void;
}

const minuteMs = 60_000;

/** Pauses after the first, second, ... attempt; the last pause applies to all later attempts. */
const pausesMs = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * minuteMs);
/** After this time, sending stops. The message can still be read here. */
const givenUpAfterMs = 72 * 60 * minuteMs;

interface Task {
  readonly feedbackId: string;
  /** `webhook`; jobs of earlier versions may name a mail server. */
  readonly channel: string;
}

const channel = 'webhook';

export function createFeedback(options: FeedbackOptions) {
  const { db, queue, now, sender, url, onError = () => undefined } = options;

  async function send(job: Job): Promise<void> {
    // Only `submit` writes payloads of this kind.
    const task: Task = Object(job.payload);
    const submission = await getFeedback(db, task.feedbackId);
    // The settings may have changed since the message was stored.
    const isOffered = task.channel === channel && url !== null;
    const attempt = isOffered ? await post(sender, url, submission) : notConfigured;
    const pauseMs = pausesMs[Math.min(job.fence, pausesMs.length) - 1]!;
    const next = new Date(now().getTime() + pauseMs);
    const isTooLate = next.getTime() - submission.createdAt.getTime() > givenUpAfterMs;
    const again = attempt.kind === 'failed' && !isTooLate ? next : null;
    await transact(db, async (tx) => {
      if (again === null) await queue.finish(tx, job);
      else await queue.release(tx, job, again);
      await record(tx, task, attempt, again !== null);
    });
    if (attempt.kind === 'accepted' || again !== null) return;
    const what = `Feedback ${task.feedbackId} was not sent by ${task.channel}`;
    onError(new Error(`${what}: ${attempt.detail}`));
  }

  return {
    /** Stores the message; it is sent later. @throws {ForensicsError} `invalid_request`. */
    async submit(
      { userId, tenantId }: Pick<Submission, 'userId' | 'tenantId'>,
      message: FeedbackMessage,
    ): Promise<void> {
      assertAttributesFit(message);
      const createdAt = now();
      const id = newId(createdAt);
      const { source } = message;
      const outcomes = url === null ? {} : { [channel]: notTried };
      const row = { id, tenantId, userId, source, message, createdAt, outcomes };
      await transact(db, async (tx) => {
        await tx.insert(feedback).values(row).run();
        if (url !== null)
          await queue.enqueue(tx, sendJob, { feedbackId: id, channel } satisfies Task);
      });
    },
    send,
  };
}

const notTried: FeedbackOutcome = { state: 'waiting', attempts: 0, detail: null };
const notConfigured: Outcome = { kind: 'gone', detail: 'not_configured' };

async function post(
  sender: FeedbackOptions['sender'],
  url: string,
  { message, ...known }: Submission,
): Promise<Outcome> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    // The same for every attempt, so that the receiver recognises a repeat.
    'webhook-id': known.id,
  };
  const { id, userId, tenantId, tenantName, createdAt } = known;
  // The sender's claims, overridden by what the service knows for certain.
  const body = { ...message, id, userId, tenantId, tenantName, createdAt };
  return sender.post(url, JSON.stringify(body), headers);
}

async function record(tx: Tx, task: Task, { kind, detail }: Outcome, isWaiting: boolean) {
  const isThis = eq(feedback.id, task.feedbackId);
  const row = await tx.select({ outcomes: feedback.outcomes }).from(feedback).where(isThis).get();
  const before = row?.outcomes[task.channel] ?? notTried;
  const state = kind === 'accepted' ? 'sent' : isWaiting ? 'waiting' : 'given_up';
  const outcome: FeedbackOutcome = { state, attempts: before.attempts + 1, detail };
  const outcomes = { ...row?.outcomes, [task.channel]: outcome };
  await tx.update(feedback).set({ outcomes }).where(isThis).run();
}

const maxAttributesLength = 16_384;
// A few thousand levels overflow the stack of JSON.stringify, and their indentation alone takes megabytes.
const maxAttributesLevels = 64;

/** Limits the attributes, whose members are arbitrary. @throws {ForensicsError} `invalid_request`. */
function assertAttributesFit({ sourceAttributes = {} }: FeedbackMessage): void {
  const isFlat = !isDeeperThan(maxAttributesLevels, sourceAttributes);
  if (isFlat && JSON.stringify(sourceAttributes).length <= maxAttributesLength) return;
  throw invalidRequest(
    `sourceAttributes must be an object with at most ${maxAttributesLevels} levels and ${maxAttributesLength} characters of JSON.`,
  );
}

/** Iterates level by level; recursion could itself overflow the stack. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return level.length > 0;
}

export interface FeedbackEntry extends Submission {
  /** By channel: `webhook` and, in entries of earlier versions, `mail`. */
  readonly outcomes: Readonly<Record<string, FeedbackOutcome>>;
}

/** Newest first. */
export async function listFeedback(reader: Reader, limit: number) {
  return entries(reader).orderBy(desc(feedback.createdAt), desc(feedback.id)).limit(limit).all();
}

/** @throws {ForensicsError} `not_found`. */
export async function getFeedback(reader: Reader, id: string): Promise<FeedbackEntry> {
  const entry = await entries(reader).where(eq(feedback.id, id)).get();
  if (entry !== undefined) return entry;
  throw notFound('Feedback entry not found; "forensics feedback list" shows the latest ones.');
}

function entries(reader: Reader) {
  const { id, userId, tenantId, createdAt, message, outcomes } = feedback;
  return reader
    .select({ id, userId, tenantId, tenantName: tenants.name, createdAt, message, outcomes })
    .from(feedback)
    .innerJoin(tenants, eq(tenants.id, tenantId));
}

const keptMs = 365 * 86_400_000;

/** Deletes old messages, because they contain names and addresses; those still being sent stay until that is settled. */
export async function purgeFeedback(db: Db, at: Date): Promise<void> {
  const isOld = lt(feedback.createdAt, new Date(at.getTime() - keptMs));
  await db
    .delete(feedback)
    .where(and(isOld, not(isWaiting)))
    .run();
}

/** Whether a message is still to be sent over some channel. Quotes in stored texts are escaped, so none can match. */
export const isWaiting = sql`${feedback.outcomes} LIKE '%"state":"waiting"%'`;

/** Each value is one line after our label or marked as quoted, so that user text cannot pass for ours. */
export function plainText({ message: sent, ...known }: Submission): string {
  const { source, name, email, url, replaySessionId, sourceAttributes, message } = sent;
  return [
    `Feedback ${known.id} (${oneLine(source)})`,
    '',
    `Name:     ${oneLine(name)}`,
    `Email:    ${oneLine(email)}`,
    `User:     ${known.userId}`,
    `Tenant:   ${oneLine(known.tenantName)} (${known.tenantId})`,
    `Page:     ${oneLine(url)}`,
    ...(replaySessionId === undefined ? [] : [`Session:  ${oneLine(replaySessionId)}`]),
    `Received: ${known.createdAt.toISOString()}`,
    '',
    'Message:',
    ...quoted(message),
    ...(sourceAttributes === undefined
      ? []
      : ['', 'Attributes:', ...quoted(JSON.stringify(sourceAttributes, null, 2))]),
    '',
  ].join('\n');
}

function quoted(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).map((line) => `> ${oneLine(line)}`);
}

/** Control characters, lone surrogates and bidirectional controls become spaces. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, ' ');
}
