import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { gt } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { deliveries } from '../../../../src/ports/db/schema.ts';
import { webhookSecret } from '../../../../src/service/webhooks/deliver.ts';
import { hastenTimeouts } from '../../../fixtures/hasten.ts';
import { answering, startReceiver } from './receiver.ts';
import { retryPausesMs, serverKey, setUpReceiver } from './set-up.ts';

/** The library expects plain strings. */
const plain = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('a message arrives as JSON with headers that the standard’s own library accepts', async () => {
  const { deliverer, tenants, id, receiver, send, states } = await setUpReceiver();
  await tenants.update(id, { webhookUrl: `${receiver.url}?token=t` });
  await send('a1', { analysisId: 'a1', name: 'Grüße' });

  await deliverer.drain();

  const [call] = receiver.calls;
  expect(call).toMatchObject({
    method: 'POST',
    path: '/hook?token=t',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'webhook-event': 'update',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{24}$/),
    },
  });
  const secret = webhookSecret(serverKey, id);
  const headers = plain(call!.headers);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(new Webhook(secret).verify(call!.body, headers)).toEqual({
    analysisId: 'a1',
    name: 'Grüße',
  });
  const others = webhookSecret(serverKey, 'other');
  expect(() => new Webhook(others).verify(call!.body, headers)).toThrow(/signature/);
  expect(() => new Webhook(secret).verify(`${call!.body} `, headers)).toThrow(/signature/);
  const elsewhere = webhookSecret(new Uint8Array(32), id);
  expect(() => new Webhook(elsewhere).verify(call!.body, headers)).toThrow(/signature/);
  expect(await states()).toEqual([{ state: 'delivered', attempts: 1, lastOutcome: 'http_200' }]);
});

test('messages about one analysis arrive in order, even if the first has to be repeated', async () => {
  const { deliverer, receiver, send, clock } = await setUpReceiver(answering(500, 200));
  for (const n of [1, 2, 3]) await send('a1', { n });

  await deliverer.drain();
  expect(receiver.calls.map(({ body }) => body)).toEqual(['{"n":1}']);
  clock.step(5000);
  await deliverer.drain();

  const sent = [1, 1, 2, 3].map((n) => `{"n":${n}}`);
  expect(receiver.calls.map(({ body }) => body)).toEqual(sent);
  const [first, again, second] = receiver.calls.map(({ headers }) => headers['webhook-id']);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
});

test('a failed attempt is reported with its outcome and the time of the next one, but without the URL', async () => {
  const { deliverer, tenants, id, receiver, send, clock, notices } = await setUpReceiver(
    answering(500, 307, 200),
  );
  await tenants.update(id, { webhookUrl: `${receiver.url}?token=secret` });
  await send('a1');
  const sentAt = clock.now().getTime();
  const at = (laterMs: number) => new Date(sentAt + laterMs).toISOString();

  for (const pauseMs of [0, 5000, 300_000]) {
    clock.step(pauseMs);
    await deliverer.drain();
  }

  const messageId = receiver.calls[0]!.headers['webhook-id'];
  const facts = { what: 'webhook-failed', tenantId: id, messageId, event: 'update' };
  expect(notices).toEqual([
    { ...facts, outcome: 'http_500', attempt: 1, nextAttempt: at(5000) },
    { ...facts, outcome: 'http_307', attempt: 2, nextAttempt: at(305_000) },
  ]);
});

test('a broken receiver is tried ten times with growing pauses, then the message is given up', async () => {
  const { deliverer, receiver, send, states, clock, notices } = await setUpReceiver(answering(500));
  for (const n of [1, 2]) await send('a1', { n });

  await deliverer.drain();
  for (const [index, pauseMs] of retryPausesMs.entries()) {
    clock.step(pauseMs - 1);
    await deliverer.drain();
    expect(receiver.calls).toHaveLength(index + 1);
    clock.step(1);
    await deliverer.drain();
    expect(receiver.calls.length).toBeGreaterThan(index + 1);
  }

  expect((await states())[0]).toEqual({ state: 'given_up', attempts: 10, lastOutcome: 'http_500' });
  const last = notices.find((notice) => Object(notice).what === 'webhook-given-up');
  expect(last).toMatchObject({ outcome: 'http_500', attempt: 10 });
  expect(last).not.toHaveProperty('nextAttempt');
  // The next message of the analysis is sent at once.
  expect(receiver.calls.at(-1)!.body).toBe('{"n":2}');
  expect(retryPausesMs).toEqual(
    [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1000),
  );
});

test('retries are spread out by at most a fifth later, never earlier', async () => {
  const { deliverer, send, db, clock } = await setUpReceiver(answering(503), { random: () => 0.5 });
  await send('a1');

  await deliverer.drain();

  const [row] = await db.select().from(deliveries).all();
  expect(row!.nextAttemptAt!.getTime() - clock.now().getTime()).toBe(5500);
});

test('a redirect is a failure and is not followed', async () => {
  const target = await startReceiver();
  const { deliverer, send, states } = await setUpReceiver((response) => {
    response.writeHead(307, { location: target.url }).end();
  });
  await send('a1');

  await deliverer.drain();

  expect(target.calls).toEqual([]);
  expect(await states()).toEqual([{ state: 'waiting', attempts: 1, lastOutcome: 'http_307' }]);
});

test('410 ends all messages for the receiver until the tenant sets a URL again', async () => {
  const { deliverer, tenants, id, receiver, send, states, notices } = await setUpReceiver(
    answering(410),
  );
  for (const n of [1, 2]) await send('a1', { n });

  await deliverer.drain();
  await send('a2', { n: 3 });
  await deliverer.drain();

  expect(receiver.calls).toHaveLength(1);
  expect(notices).toMatchObject([{ what: 'webhook-switched-off', outcome: 'http_410' }]);
  expect((await states()).map(({ state }) => state)).toEqual(['given_up', 'given_up']);
  expect(await tenants.byId(id)).toMatchObject({
    webhookDisabledAt: expect.any(Date),
    webhookDisabledReason: 'gone',
  });
  const other = await startReceiver();
  await tenants.update(id, { webhookUrl: other.url });
  await send('a3', { n: 4 });
  await deliverer.drain();
  expect(other.calls.map(({ body }) => body)).toEqual(['{"n":4}']);
});

test('waiting messages are given up when the tenant removes its webhook', async () => {
  const { deliverer, tenants, id, receiver, send, states } = await setUpReceiver();
  await send('a1', { n: 1 });
  await tenants.update(id, { webhookUrl: null });

  await deliverer.drain();

  expect(receiver.calls).toEqual([]);
  expect(await states()).toEqual([{ state: 'given_up', attempts: 1, lastOutcome: 'no_receiver' }]);
});

test('a hanging receiver takes up no more than its share and does not hold up other tenants', async () => {
  const release = Promise.withResolvers<void>();
  const hanging = await startReceiver((response) => {
    void release.promise.then(() => response.end());
  });
  const { deliverer, tenant, sendFor, receiver: quick, send, states } = await setUpReceiver();
  const slow = await tenant('slow', hanging.url);
  for (let n = 0; n < 20; n++) await sendFor(slow.id, `slow-${n}`, { n });
  for (let n = 0; n < 20; n++) await send(`fast-${n}`, { n });

  const drained = deliverer.drain();
  await expect.poll(() => quick.calls.length).toBe(20);
  await expect.poll(() => hanging.calls.length).toBe(4);
  release.resolve();
  await drained;

  expect(hanging.calls).toHaveLength(20);
  expect((await states()).every(({ state }) => state === 'delivered')).toBe(true);
});

test('a receiver that never answers is abandoned after five seconds', async () => {
  const { deliverer, send, states } = await setUpReceiver(() => undefined);
  await send('a1');

  const limits = hastenTimeouts();
  const begun = performance.now();
  await deliverer.drain();

  expect(limits.mock.calls).toEqual([[5000]]);
  expect(performance.now() - begun).toBeGreaterThan(245);
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(await states()).toEqual([{ state: 'waiting', attempts: 1, lastOutcome: 'timeout' }]);
});

test('an answer that never ends counts by its status', async () => {
  const { deliverer, send, states } = await setUpReceiver((response) => {
    response.write('x'.repeat(100_000));
  });
  await send('a1');

  await deliverer.drain();

  expect(await states()).toEqual([{ state: 'delivered', attempts: 1, lastOutcome: 'http_200' }]);
});

test.each([
  ['a literal address', (port: number) => `http://127.0.0.1:${port}/`],
  ['a number that means an address', (port: number) => `http://2130706433:${port}/`],
  ['a name', (port: number) => `http://localhost:${port}/`],
  ['a mapped address', (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
])('an internal target given as %s is refused without a connection', async (_, urlOf) => {
  const allow = ['external', 'private'];
  const { deliverer, tenants, id, receiver, send, states } = await setUpReceiver(undefined, {
    allow,
  });
  await tenants.update(id, { webhookUrl: urlOf(receiver.port) });
  await send('a1');

  await deliverer.drain();

  expect(receiver.calls).toEqual([]);
  expect(await states()).toEqual([
    { state: 'waiting', attempts: 1, lastOutcome: 'address_refused' },
  ]);
});

test('a new URL is tried at once, and all messages that waited for the old one follow', async () => {
  const { deliverer, tenants, id, receiver, send, clock } = await setUpReceiver();
  await tenants.update(id, { webhookUrl: 'http://127.0.0.1:9/' });
  for (const subject of ['a1', 'a1', 'b1']) await send(subject);
  await deliverer.drain();
  clock.step(5000);
  await deliverer.drain();

  await tenants.update(id, { webhookUrl: receiver.url });
  await deliverer.drain();

  expect(receiver.calls).toHaveLength(3);
});

test('a dead process’s message is taken over by another after its lease, and not before', async () => {
  const first = Promise.withResolvers<ServerResponse>();
  const { deliverer, open, receiver, send, states, clock, notices } = await setUpReceiver(
    (response) => {
      if (receiver.calls.length > 1) response.end();
      else first.resolve(response);
    },
  );
  await send('a1');
  const dying = deliverer.drain();
  const unanswered = await first.promise;
  const next = open();

  await next.drain();
  expect(receiver.calls).toHaveLength(1);
  clock.step(30_000);
  await next.drain();

  expect(receiver.calls).toHaveLength(2);
  // The late failure of the first one changes nothing.
  unanswered.statusCode = 500;
  unanswered.end();
  await dying;
  expect(await states()).toEqual([{ state: 'delivered', attempts: 1, lastOutcome: 'http_200' }]);
  expect(notices).toEqual([]);
});

test('the late answer to a dead process’s attempt neither settles nor repeats another’s attempt', async () => {
  const answers: ServerResponse[] = [];
  const { deliverer, open, receiver, send, states, clock } = await setUpReceiver((response) => {
    answers.push(response);
  });
  await send('a1');
  const dying = deliverer.drain();
  await expect.poll(() => answers.length).toBe(1);
  clock.step(30_000);
  const living = open().drain();
  await expect.poll(() => answers.length).toBe(2);

  answers[0]!.end();
  await dying;
  await open().drain();

  expect(await states()).toEqual([{ state: 'waiting', attempts: 0, lastOutcome: null }]);
  expect(receiver.calls).toHaveLength(2);
  answers[1]!.end();
  await living;
  expect(await states()).toEqual([{ state: 'delivered', attempts: 1, lastOutcome: 'http_200' }]);
});

test('a receiver that failed gets one message at a time until it works again', async () => {
  const answers: ServerResponse[] = [];
  const { deliverer, receiver, send, db } = await setUpReceiver((response) => {
    answers.push(response);
  });
  for (let n = 0; n < 10; n++) await send(`a${n}`, { n });
  const inProgress = () => db.$count(deliveries, gt(deliveries.fence, 0));
  const answer = (statusCode: number) => {
    for (const response of answers.splice(0)) {
      response.statusCode = statusCode;
      response.end();
    }
  };

  const drained = deliverer.drain();
  await expect.poll(() => answers.length).toBe(4);
  answer(500);
  await expect.poll(() => answers.length).toBe(1);
  expect(await inProgress()).toBe(5);
  answer(200);
  await expect.poll(() => answers.length).toBe(4);
  answer(200);
  await expect.poll(() => answers.length).toBe(1);
  answer(200);
  await drained;

  expect(receiver.calls).toHaveLength(10);
});

test('deliveries that end during a slow database query leave nothing undelivered', async () => {
  const { open, outbox, receiver, send } = await setUpReceiver();
  for (let n = 0; n < 10; n++) await send(`a${n}`, { n });
  const slow = open({
    outbox: {
      ...outbox,
      async nextDueAt(full) {
        const dueAt = await outbox.nextDueAt(full);
        if (full.length > 0) await setTimeout(200);
        return dueAt;
      },
    },
  });

  await slow.drain();

  expect(receiver.calls).toHaveLength(10);
});

test('a started deliverer sends a new message at once, long before its next poll', async () => {
  const { deliverer, receiver, send } = await setUpReceiver();
  deliverer.start();
  await new Promise(setImmediate);

  await send('a1');

  await expect.poll(() => receiver.calls.length).toBe(1);
});
