/**
 * Messages from users to the team. They are stored first and then sent over the channels the administrator configured,
 * each at its own pace; the message and its send jobs are written in one transaction. Knows nothing about HTTP or
 * accounts.
 */

import { and, desc, eq, lt, not, sql } from 'drizzle-orm';
import type { Settings } from '../../contract/config.ts';
import type { FeedbackMessage } from '../../contract/feedback.ts';
import { type Db, newId, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import { feedback, type FeedbackOutcome, tenants } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import type { Job, Queue } from '../jobs/queue.ts';
import type { Sender } from '../../ports/network/post.ts';
import {
  assertAttributesFit,
  type Attempt,
  type Channel,
  createMailChannel,
  createPostChannel,
  type Submission,
} from './channels.ts';

/** Kind of the send jobs; there is one for each message and channel. */
export const sendJob = 'feedback.send';

interface FeedbackOptions {
  readonly db: Db;
  readonly queue: Queue;
  readonly now: () => Date;
  /** Channels by name; without any, messages are only stored. */
  readonly channels: Readonly<Record<string, Channel>>;
  /** Receives an error for each message that will no longer be sent. */
  readonly onError?: (error: unknown) => void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Pauses after the first, second, ... attempt; the last pause applies to all later attempts. */
const pausesMs: readonly number[] = [
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
];
/** After this time, sending stops. The message can still be read here. */
const givenUpAfterMs = 72 * hourMs;

interface Task {
  readonly feedbackId: string;
  readonly channel: string;
}

export function createFeedback(options: FeedbackOptions) {
  const { db, queue, now, channels, onError = () => undefined } = options;

  async function send(job: Job, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    // Only `submit` writes payloads of this kind.
    const task: Task = Object(job.payload);
    const submission = await getFeedback(db, task.feedbackId);
    const channel = channels[task.channel];
    // The settings may have changed since the message was stored.
    const attempt = channel ? await channel(submission, signal) : notConfigured;
    const again = attempt.kind === 'failed' ? nextAttempt(submission, job.fence) : null;
    await transact(db, async (tx) => {
      if (again === null) await queue.finish(tx, job);
      else await queue.release(tx, job, again);
      await record(tx, task, attempt, again !== null);
    });
    if (attempt.kind === 'accepted' || again !== null) return;
    onError(
      new Error(`Feedback ${task.feedbackId} was not sent by ${task.channel}: ${attempt.detail}`),
    );
  }

  function nextAttempt({ createdAt }: Submission, attempts: number): Date | null {
    const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1]!;
    const at = now().getTime() + pauseMs;
    return at - createdAt.getTime() > givenUpAfterMs ? null : new Date(at);
  }

  return {
    /** Stores the message; it is sent later. @throws {ForensicsError} `invalid_request`. */
    async submit(
      { userId, tenantId }: Pick<Submission, 'userId' | 'tenantId'>,
      message: FeedbackMessage,
    ): Promise<void> {
      assertAttributesFit(message);
      const names = Object.keys(channels);
      const createdAt = now();
      const id = newId(createdAt);
      const { source } = message;
      const outcomes = Object.fromEntries(names.map((name) => [name, notTried]));
      await transact(db, async (tx) => {
        await tx
          .insert(feedback)
          .values({ id, tenantId, userId, source, message, createdAt, outcomes })
          .run();
        for (const channel of names) {
          await queue.enqueue(tx, sendJob, { feedbackId: id, channel } satisfies Task);
        }
      });
    },
    /** The worker's handler for `sendJob` jobs. */
    send,
  };
}

const notTried: FeedbackOutcome = { state: 'waiting', attempts: 0, detail: null };
const notConfigured: Attempt = { kind: 'refused', detail: 'not_configured' };

async function record(
  tx: Tx,
  task: Task,
  { kind, detail }: Attempt,
  isWaiting: boolean,
): Promise<void> {
  const isThis = eq(feedback.id, task.feedbackId);
  const row = await tx.select({ outcomes: feedback.outcomes }).from(feedback).where(isThis).get();
  const before = row?.outcomes[task.channel] ?? notTried;
  const state = kind === 'accepted' ? 'sent' : isWaiting ? 'waiting' : 'given_up';
  const outcome: FeedbackOutcome = { state, attempts: before.attempts + 1, detail };
  const outcomes = { ...row?.outcomes, [task.channel]: outcome };
  await tx.update(feedback).set({ outcomes }).where(isThis).run();
}

/** The channels in the settings. @throws {ForensicsError} `config_invalid`. */
export function openChannels(
  settings: Settings,
  sender: Sender,
): Readonly<Record<string, Channel>> {
  const { feedbackSmtpUrl: smtpUrl, feedbackMailFrom: from, feedbackMailTo: to } = settings;
  const { feedbackWebhookUrl: url } = settings;
  const hasMail = smtpUrl !== null && from !== null && to !== null;
  return {
    ...(hasMail ? { mail: createMailChannel({ smtpUrl, from, to }) } : {}),
    ...(url === null ? {} : { webhook: createPostChannel({ url, sender }) }),
  };
}

/** Reads the messages, for the administrator. */
export interface FeedbackEntry extends Submission {
  /** Outcomes by channel. */
  readonly outcomes: Readonly<Record<string, FeedbackOutcome>>;
}

/** Newest first. */
export async function listFeedback(
  reader: Reader,
  limit: number,
): Promise<readonly FeedbackEntry[]> {
  return entries(reader).orderBy(desc(feedback.createdAt), desc(feedback.id)).limit(limit).all();
}

/** @throws {ForensicsError} `not_found`. */
export async function getFeedback(reader: Reader, id: string): Promise<FeedbackEntry> {
  const entry = await entries(reader).where(eq(feedback.id, id)).get();
  if (entry !== undefined) return entry;
  throw new ForensicsError(
    'not_found',
    'Feedback entry not found; "forensics feedback list" shows the latest ones.',
  );
}

function entries(reader: Reader) {
  const { id, userId, tenantId, createdAt, message, outcomes } = feedback;
  return reader
    .select({ id, userId, tenantId, tenantName: tenants.name, createdAt, message, outcomes })
    .from(feedback)
    .innerJoin(tenants, eq(tenants.id, tenantId));
}

const keptMs = 365 * 86_400_000;

/**
 * Deletes old messages, because they contain names and addresses and will have been read by then.
 *
 * A message that is still being sent stays until it has been sent or abandoned.
 */
export async function purgeFeedback(db: Db, at: Date): Promise<void> {
  const before = new Date(at.getTime() - keptMs);
  await db
    .delete(feedback)
    .where(and(lt(feedback.createdAt, before), not(isWaiting)))
    .run();
}

/** Whether a message is still to be sent over some channel. Quotes in stored texts are escaped, so none can match. */
export const isWaiting = sql`${feedback.outcomes} LIKE '%"state":"waiting"%'`;
