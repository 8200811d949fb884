import { expect, test } from 'vitest';
import type { FeedbackMessage } from '../../../../src/contract/auth.ts';
import {
  createFeedback,
  getFeedback,
  listFeedback,
  plainText,
  purgeFeedback,
  sendJob,
} from '../../../../src/service/feedback/feedback.ts';
import { createQueue } from '../../../../src/service/jobs/queue.ts';
import { createWorker } from '../../../../src/service/jobs/worker.ts';
import { createSender, type Outcome, type Sender } from '../../../../src/ports/network/post.ts';
import { openPeople } from '../access/people.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const message: FeedbackMessage = {
  url: 'https://app.example/',
  name: 'Examiner',
  email: 'examiner@example.org',
  message: 'It says fake.',
  source: 'frontend-support-request',
};

const accepted: Outcome = { kind: 'accepted', detail: 'http_200' };
const later: Outcome = { kind: 'failed', detail: 'http_503' };
const refused: Outcome = { kind: 'gone', detail: 'http_410' };

/** Answers with the next of `attempts`, then always with the last. */
function scripted(...attempts: readonly Outcome[]) {
  const seen: string[] = [];
  const post: Sender['post'] = async (_url, body) => {
    seen.push(body);
    return attempts[Math.min(seen.length, attempts.length) - 1]!;
  };
  return { post, seen };
}

async function setUp(
  sender: Pick<Sender, 'post'> = scripted(accepted),
  url: string | null = 'https://team.example/',
) {
  const db = await testDb();
  const clock = steppedClock();
  const { now } = clock;
  const queue = createQueue({ db, now });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const feedback = createFeedback({ db, queue, now, sender, url, onError });
  const handlers = { [sendJob]: feedback.send };
  const worker = createWorker({ db, queue, handlers, workerId: 'w', concurrency: 1, now, onError });
  const { tenants, makeUser } = await openPeople({ db, clock });
  const tenant = await tenants.create({ name: 'acme' });
  const { id: userId } = await makeUser('examiner@example.org');
  return {
    userId,
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

test('without a receiver a message is stored and nothing is queued', async () => {
  const { db, userId, queue, submit } = await setUp(undefined, null);

  await submit({ sourceAttributes: { analysisId: '1', type: 'image' } });

  const [kept] = await listFeedback(db, 10);
  expect(kept).toMatchObject({
    tenantName: 'acme',
    userId,
    message: { ...message, sourceAttributes: { analysisId: '1', type: 'image' } },
    outcomes: {},
  });
  expect(await getFeedback(db, kept!.id)).toEqual(kept);
  expect(await queue.count(sendJob)).toBe(0);
});

test('a failed attempt is repeated, until one succeeds', async () => {
  const receiver = scripted(later, later, accepted);
  const { submit, worker, clock, queue, outcomes, errors } = await setUp(receiver);

  await submit();
  await worker.drain();
  const waiting = { state: 'waiting', attempts: 1, detail: 'http_503' };
  expect((await outcomes())['webhook']).toEqual(waiting);
  clock.step(59_999);
  await worker.drain();
  expect(receiver.seen).toHaveLength(1);
  clock.step(1);
  await worker.drain();
  expect(receiver.seen).toHaveLength(2);
  clock.step(5 * 60_000);
  await worker.drain();

  expect(await outcomes()).toEqual({ webhook: { state: 'sent', attempts: 3, detail: 'http_200' } });
  expect([errors, await queue.count(sendJob)]).toEqual([[], 0]);
});

test('after three days a message is given up, and an error is reported', async () => {
  const receiver = scripted(later);
  const { submit, worker, clock, outcomes, errors, queue } = await setUp(receiver);
  await submit();

  for (let hour = 0; hour <= 72 + 24; hour++) {
    await worker.drain();
    clock.step(3_600_000);
  }

  expect((await outcomes())['webhook']).toMatchObject({ state: 'given_up', detail: 'http_503' });
  expect(receiver.seen.length).toBeGreaterThan(6);
  expect(receiver.seen.length).toBeLessThan(20);
  expect(await queue.count(sendJob)).toBe(0);
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining('http_503') }),
  ]);
});

test('a message that is refused permanently is tried once', async () => {
  const receiver = scripted(refused);
  const { submit, worker, clock, outcomes } = await setUp(receiver);

  await submit();
  await worker.drain();
  clock.step(72 * 3_600_000);
  await worker.drain();

  const givenUp = { state: 'given_up', attempts: 1, detail: 'http_410' };
  expect((await outcomes())['webhook']).toEqual(givenUp);
  expect(receiver.seen).toHaveLength(1);
});

test('attributes that are too large are refused, and nothing is stored', async () => {
  const { db, submit } = await setUp();

  const huge = submit({ sourceAttributes: { notes: 'x'.repeat(20_000) } });

  await expect(huge).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await listFeedback(db, 10)).toEqual([]);
});

test.each([
  ['of 64 levels', 64, undefined],
  ['of 65 levels', 65, 'invalid_request'],
  ['deep enough to overflow a stack', 8000, 'invalid_request'],
])('attributes %s are accepted or refused by their depth', async (_, levels, code) => {
  const { submit } = await setUp();
  let nested: unknown = null;
  for (let i = 1; i < levels; i++) nested = [nested];

  const failure = await submit({ sourceAttributes: { nested } }).catch((error: unknown) => error);

  expect(Object(failure)['code']).toBe(code);
});

test('a message is purged after a year, unless it still waits to be sent', async () => {
  const { db, clock, worker, submit } = await setUp(scripted(accepted, later));
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
  const { db, submit, worker, outcomes } = await setUp(sender, receiver.url);
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

test('in the plain text, no value can add a line that looks like ours', () => {
  const evil = 'x\r\nTenant:   other';
  const text = plainText({
    id: '65f000000000000000000001',
    userId: '65f000000000000000000002',
    tenantId: '65f000000000000000000003',
    tenantName: 'acme',
    createdAt: new Date('2026-03-01T12:00:00.000Z'),
    message: {
      ...message,
      name: evil,
      message: `Hello\n${evil}`,
      sourceAttributes: { [evil]: evil },
    },
  });

  expect(text.match(/^Tenant: .*$/gm)).toEqual(['Tenant:   acme (65f000000000000000000003)']);
  expect(text).toContain('Name:     x  Tenant:   other\n');
  expect(text).toContain('\nMessage:\n> Hello\n> x\n> Tenant:   other\n\nAttributes:\n> {\n');
});
