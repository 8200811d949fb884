import { operator } from '../../../../src/service/audit/entry.ts';
import { expect, test } from 'vitest';
import {
  listDeliveries,
  replay,
  purgeDeliveries,
} from '../../../../src/service/webhooks/deliver.ts';
import { setUp, setUpReceiver } from './set-up.ts';
import { deliveries } from '../../../../src/ports/db/schema.ts';

type Ready = Awaited<ReturnType<typeof withReceiver>>;

async function withReceiver() {
  const all = await setUpReceiver();
  const bodies = () => all.receiver.calls.map(({ body }) => body);
  const list = (tenantId = all.id) => listDeliveries(all.db, { tenantId, state: null, limit: 100 });
  const again = (which: Parameters<typeof replay>[1]['which'], tenantId = all.id) =>
    replay(all.db, { tenantId, which, at: all.clock.now(), by: operator });
  return { ...all, bodies, list, again };
}

test('a replayed message is sent once more, with the same id and a new signature', async () => {
  const { deliverer, send, clock, receiver, list, again } = await withReceiver();
  await send('a1', { n: 1 });
  await deliverer.drain();
  clock.step(60_000);
  const [{ id } = { id: '' }] = await list();

  const replayed = await again({ id });
  const waiting = await list();
  await deliverer.drain();

  expect(replayed).toEqual([{ id, event: 'update', subject: 'a1' }]);
  expect(waiting).toMatchObject([{ id, state: 'waiting', attempts: 0, lastOutcome: null }]);
  const [first, second] = receiver.calls;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['webhook-id']).toBe(id);
  expect(Number(second?.headers['webhook-timestamp'])).toBe(
    Number(first?.headers['webhook-timestamp']) + 60,
  );
  expect(await list()).toMatchObject([
    { state: 'delivered', attempts: 1, lastOutcome: 'http_200' },
  ]);
});

/** Gives up the waiting messages, and sets the tenant's URL again. */
async function giveUpAll({ answer, deliverer, tenants, id, receiver }: Ready) {
  answer.status = 410;
  await deliverer.drain();
  answer.status = 200;
  await tenants.update(id, { webhookUrl: receiver.url });
  receiver.calls.length = 0;
}

test('all given-up messages of this tenant, and no others, are sent again in order', async () => {
  const ready = await withReceiver();
  const { deliverer, tenant, send, sendFor, receiver, bodies, again } = ready;
  const { id: other } = await tenant('other', receiver.url);
  await send('a0', { n: 'delivered' });
  await deliverer.drain();
  await sendFor(other, 'b1', { n: 'of another' });
  for (const n of [1, 2, 3]) await send('a1', { n });
  await giveUpAll(ready);

  const replayed = await again('given_up');
  await deliverer.drain();

  expect(replayed).toHaveLength(3);
  expect(bodies()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  expect(await again('given_up')).toEqual([]);
});

test('replayed messages come after the current message and before later ones', async () => {
  const ready = await withReceiver();
  const { deliverer, send, answer, receiver, clock, bodies, again } = ready;
  for (const n of [1, 2]) await send('a1', { n });
  await giveUpAll(ready);
  for (const n of [3, 4]) await send('a1', { n });
  answer.status = 500;
  await deliverer.drain();
  answer.status = 200;
  receiver.calls.length = 0;

  await again('given_up');
  await deliverer.drain();
  const before = bodies();
  clock.step(5000);
  await deliverer.drain();

  expect(before).toEqual([]);
  expect(bodies()).toEqual(['{"n":3}', '{"n":1}', '{"n":2}', '{"n":4}']);
});

test('an attempt from before the replay does not settle the replayed message', async () => {
  const { outbox, send, id, tenants, receiver, list, again } = await withReceiver();
  await send('a1');
  const [late] = await outbox.claim(() => 1);
  await send('a2');
  const [other] = await outbox.claim(() => 1);
  await outbox.conclude(other!, { kind: 'gone', detail: 'http_410' });
  await tenants.update(id, { webhookUrl: receiver.url });

  await again('given_up');
  await outbox.conclude(late!, { kind: 'accepted', detail: 'http_200' });

  expect((await list()).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
});

test('waiting messages, missing ones and a missing receiver are refused, each with advice', async () => {
  const { send, tenants, id: tenantId, list, again } = await withReceiver();
  await send('a1');
  const [{ id } = { id: '' }] = await list();

  await expect(() => again({ id })).rejects.toThrow(/already waiting for its next attempt/);
  await expect(() => again({ id: 'msg_0' })).rejects.toThrow(/forensics webhooks list/);
  await tenants.update(tenantId, { webhookUrl: null });
  await expect(() => again('given_up')).rejects.toThrow(/forensics tenant update/);
});

test('another tenant can neither list nor replay a message', async () => {
  const { send, tenant, receiver, list, again } = await withReceiver();
  const { id: other } = await tenant('other', receiver.url);
  await send('a1');
  const [{ id } = { id: '' }] = await list();

  await expect(() => again({ id }, other)).rejects.toMatchObject({ code: 'not_found' });
  expect(await list(other)).toEqual([]);
});

const dayMs = 24 * 3_600_000;

test('messages that ended long ago are purged, recent and waiting ones are kept', async () => {
  const { db, clock, deliverer, send } = await setUpReceiver((response, { body }) => {
    response.statusCode = body.includes('stuck') ? 500 : 200;
    response.end();
  });
  await send('a1', { n: 'old' });
  await send('a2', { n: 'stuck' });
  await deliverer.drain();
  clock.step(dayMs);
  await send('a3', { n: 'young' });
  await deliverer.drain();

  await purgeDeliveries(db, new Date(clock.now().getTime() - dayMs / 2));

  const left = await db.select().from(deliveries).orderBy(deliveries.seq).all();
  expect(left.map(({ payload }) => payload)).toEqual(['{"n":"stuck"}', '{"n":"young"}']);
});

test('more messages than fit into one batch are purged', async () => {
  const { db, tenant } = await setUp();
  const { id } = await tenant('acme', 'https://receiver.test/');
  const at = new Date(0);
  const ended = {
    state: 'delivered',
    attempts: 1,
    fence: 1,
    createdAt: at,
    settledAt: at,
  } as const;
  const message = { ...ended, tenantId: id, subject: 'a', event: 'update', payload: '{}' };
  const rows = Array.from({ length: 2500 }, (_, n) => ({ ...message, id: `msg_${n}` }));
  for (let n = 0; n < rows.length; n += 500)
    await db
      .insert(deliveries)
      .values(rows.slice(n, n + 500))
      .run();

  await purgeDeliveries(db, new Date(1));

  expect(await db.$count(deliveries)).toBe(0);
});
