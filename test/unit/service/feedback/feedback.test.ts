import { expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import type { FeedbackMessage } from '../../../../src/contract/feedback.ts';
import { users } from '../../../../src/ports/db/schema.ts';
import {
  type Attempt,
  type Channel,
  createPostChannel,
  type Submission,
} from '../../../../src/service/feedback/channels.ts';
import {
  createFeedback,
  getFeedback,
  listFeedback,
  purgeFeedback,
  sendJob,
} from '../../../../src/service/feedback/feedback.ts';
import { createQueue } from '../../../../src/service/jobs/queue.ts';
import { createWorker } from '../../../../src/service/jobs/worker.ts';
import { createSender } from '../../../../src/ports/network/post.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const message: FeedbackMessage = {
  url: 'https://app.example/',
  name: 'Examiner',
  email: 'examiner@example.org',
  message: 'It says fake.',
  source: 'frontend-support-request',
};

const accepted: Attempt = { kind: 'accepted', detail: 'smtp_250' };
const later: Attempt = { kind: 'failed', detail: 'smtp_451' };
const refused: Attempt = { kind: 'refused', detail: 'smtp_550' };

/** Answers with the next of `attempts`, then always with the last. */
function scripted(...attempts: readonly Attempt[]) {
  const seen: Submission[] = [];
  const channel: Channel = async (submission) => {
    seen.push(submission);
    return attempts[Math.min(seen.length, attempts.length) - 1]!;
  };
  return { channel, seen };
}

async function setUp(channels: Readonly<Record<string, Channel>>) {
  const db = await testDb();
  const clock = steppedClock();
  const { now } = clock;
  const queue = createQueue({ db, now });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const feedback = createFeedback({ db, queue, now, channels, onError });
  const handlers = { [sendJob]: feedback.send };
  const worker = createWorker({ db, queue, handlers, workerId: 'w', concurrency: 1, now, onError });
  const tenant = await createTenants({ db, now }).create({ name: 'acme' });
  const user = {
    email: 'examiner@example.org',
    nameFolded: '',
    userType: 'person',
    scopes: [],
    lang: 'en',
  };
  const userId = '65f000000000000000000002';
  const state = { tosAccepted: false, failedLogins: 0, tokensValidFrom: now(), createdAt: now() };
  await db
    .insert(users)
    .values({ id: userId, ...user, ...state })
    .run();
  return {
    db,
    clock,
    queue,
    worker,
    errors,
    submit: async (change: Partial<FeedbackMessage> = {}) =>
      feedback.submit({ userId, tenantId: tenant.id }, { ...message, ...change }),
    outcomes: async () => (await listFeedback(db, 10))[0]!.outcomes,
  };
}

test('without a channel a message is stored and nothing is queued', async () => {
  const { db, queue, submit } = await setUp({});

  await submit({ sourceAttributes: { analysisId: '1', type: 'image' } });

  const [kept] = await listFeedback(db, 10);
  expect(kept).toMatchObject({
    tenantName: 'acme',
    userId: '65f000000000000000000002',
    message: { ...message, sourceAttributes: { analysisId: '1', type: 'image' } },
    outcomes: {},
  });
  expect(await getFeedback(db, kept!.id)).toEqual(kept);
  expect(await queue.count(sendJob)).toBe(0);
});

test('a message is sent once over every channel', async () => {
  const [mail, post] = [scripted(accepted), scripted({ kind: 'accepted', detail: 'http_200' })];
  const { submit, worker, outcomes, queue } = await setUp({
    mail: mail.channel,
    webhook: post.channel,
  });

  await submit();
  await worker.drain();

  expect(await outcomes()).toEqual({
    mail: { state: 'sent', attempts: 1, detail: 'smtp_250' },
    webhook: { state: 'sent', attempts: 1, detail: 'http_200' },
  });
  expect([mail.seen.length, post.seen.length, await queue.count(sendJob)]).toEqual([1, 1, 0]);
});

test('a failed channel is tried again, and the other one gets nothing twice', async () => {
  const [mail, post] = [scripted(later, later, accepted), scripted(accepted)];
  const { submit, worker, clock, outcomes, errors } = await setUp({
    mail: mail.channel,
    webhook: post.channel,
  });

  await submit();
  await worker.drain();
  expect((await outcomes())['mail']).toEqual({ state: 'waiting', attempts: 1, detail: 'smtp_451' });
  clock.step(59_999);
  await worker.drain();
  expect(mail.seen).toHaveLength(1);
  clock.step(1);
  await worker.drain();
  expect(mail.seen).toHaveLength(2);
  clock.step(5 * 60_000);
  await worker.drain();

  expect((await outcomes())['mail']).toEqual({ state: 'sent', attempts: 3, detail: 'smtp_250' });
  expect(post.seen).toHaveLength(1);
  expect(errors).toEqual([]);
});

test('after three days a message is given up, and an error is reported', async () => {
  const { channel, seen } = scripted(later);
  const { submit, worker, clock, outcomes, errors, queue } = await setUp({ mail: channel });
  await submit();

  for (let hour = 0; hour <= 72 + 24; hour++) {
    await worker.drain();
    clock.step(3_600_000);
  }

  expect((await outcomes())['mail']).toMatchObject({ state: 'given_up', detail: 'smtp_451' });
  expect(seen.length).toBeGreaterThan(6);
  expect(seen.length).toBeLessThan(20);
  expect(await queue.count(sendJob)).toBe(0);
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining('smtp_451') }),
  ]);
});

test('a message that is refused permanently is tried once', async () => {
  const { channel, seen } = scripted(refused);
  const { submit, worker, clock, outcomes } = await setUp({ mail: channel });

  await submit();
  await worker.drain();
  clock.step(72 * 3_600_000);
  await worker.drain();

  expect((await outcomes())['mail']).toEqual({
    state: 'given_up',
    attempts: 1,
    detail: 'smtp_550',
  });
  expect(seen).toHaveLength(1);
});

test('attributes that are too large are refused, and nothing is stored', async () => {
  const { db, submit } = await setUp({});

  const huge = submit({ sourceAttributes: { notes: 'x'.repeat(20_000) } });

  await expect(huge).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await listFeedback(db, 10)).toEqual([]);
});

test.each([
  ['of 64 levels', 64, undefined],
  ['of 65 levels', 65, 'invalid_request'],
  ['deep enough to overflow a stack', 8000, 'invalid_request'],
])('attributes %s are accepted or refused by their depth', async (_, levels, code) => {
  const { submit } = await setUp({});
  let nested: unknown = null;
  for (let i = 1; i < levels; i++) nested = [nested];

  const failure = await submit({ sourceAttributes: { nested } }).catch((error: unknown) => error);

  expect(Object(failure)['code']).toBe(code);
});

test('a message is purged after a year, unless it still waits to be sent', async () => {
  const { channel } = scripted(accepted, later);
  const { db, clock, worker, submit } = await setUp({ mail: channel });
  const dayMs = 86_400_000;
  await submit({ message: 'sent' });
  await worker.drain();
  await submit({ message: 'waiting' });
  await worker.drain();
  clock.step(dayMs);
  await submit({ message: 'younger' });
  const left = async () =>
    (await listFeedback(db, 10)).map((entry) => entry.message.message).toSorted();

  clock.step(364 * dayMs);
  await purgeFeedback(db, clock.now());
  expect(await left()).toEqual(['sent', 'waiting', 'younger']);
  clock.step(1);
  await purgeFeedback(db, clock.now());

  expect(await left()).toEqual(['waiting', 'younger']);
});

test('a receiver gets the message as JSON, and no field can override those of the service', async () => {
  const receiver = await startReceiver();
  const sender = createSender({ guard: { isAllowed: () => true } });
  const webhook = createPostChannel({ url: receiver.url, sender });
  const { db, submit, worker, outcomes } = await setUp({ webhook });
  const forged = { name: 'Examiner', tenantId: 'forged' };

  await submit(forged);
  await worker.drain();
  await sender.close();

  const [kept] = await listFeedback(db, 1);
  const [call] = receiver.calls;
  expect(call).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': kept!.id },
  });
  expect(JSON.parse(call!.body)).toEqual({
    ...message,
    id: kept!.id,
    userId: kept!.userId,
    tenantId: kept!.tenantId,
    tenantName: 'acme',
    createdAt: '2026-03-01T12:00:00.000Z',
  });
  expect(await outcomes()).toEqual({ webhook: { state: 'sent', attempts: 1, detail: 'http_200' } });
});
