import { describe, expect, test, vi } from 'vitest';
import type { AuditEntry, Delivery } from '../../../src/contract/tenant.ts';
import { startReceiver } from '../service/webhooks/receiver.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile({ flags: { webhookAllow: '127.0.0.0/8' } });

const send = open.as(open.authorization);
type Query = Readonly<Record<string, string>>;

const get = async (path: string, query: Query = {}) =>
  send('GET', `${path}?${new URLSearchParams(query).toString()}`);
const post = async (path: string, body: object = {}) => send('POST', path, body);

const entries = async (query?: Query) =>
  (await get('/v1/tenant/audit', query)).data<AuditEntry[]>();

const messages = async (query?: Query) =>
  (await get('/v1/tenant/webhook', query)).data<Delivery[]>();

async function createAndDelete(): Promise<string> {
  const { id } = await open.create();
  await send('DELETE', '/v1/analysis', { id });
  return id;
}

describe('the audit log over HTTP', () => {
  test('entries come newest first and complete, and pages have no gaps or repeats', async () => {
    await createAndDelete();
    await createAndDelete();

    const all = await entries();
    const first = await entries({ limit: '3' });
    const second = await entries({ limit: '3', before: String(first.at(-1)?.seq) });

    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => all.length - at));
    expect([...first, ...second]).toEqual(all.slice(0, 6));
    expect(all.at(-1)).toEqual({
      chain: open.tenant.id,
      seq: 1,
      at: expect.any(String),
      actor: { type: 'operator', id: null },
      event: 'tenant.created',
      subject: open.tenant.id,
      details: { isTrial: false },
      previous: '0'.repeat(64),
      hash: all.at(-2)?.previous,
    });
  });

  test('entries are filtered by event, by kind of event, by subject and by time', async () => {
    const id = await createAndDelete();
    const all = await entries();
    const events = async (query: Query) => (await entries(query)).map(({ event }) => event);

    const about = all.filter(({ subject }) => subject === id);
    const keys = all.filter(({ event }) => event.startsWith('key.'));
    const [newest] = all;

    expect(await entries({ subject: id })).toEqual(about);
    expect(about.map(({ event }) => event)).toEqual(['analysis.deleted', 'analysis.created']);
    expect(await entries({ event: 'key' })).toEqual(keys);
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(await events({ event: 'analysis.deleted' }))).toEqual(
      new Set(['analysis.deleted']),
    );
    // A prefix that ends within a word is not a kind of event.
    expect(await events({ event: 'analys' })).toEqual([]);
    expect(await events({ to: all.at(-1)?.at ?? '' })).toEqual([]);
    expect(await entries({ from: newest?.at ?? '' })).toContainEqual(newest);
    expect((await get('/v1/tenant/audit', { event: "key' or 1=1" })).status).toBe(400);
  });
});

describe('the webhook log over HTTP', () => {
  test('messages are listed by state and page, tested, and replayed under their own id', async () => {
    const receiver = await startReceiver();
    await open.app.core.tenants.update(open.tenant.id, { webhookUrl: receiver.url });
    const subjects = [await createAndDelete(), await createAndDelete()];

    const waiting = await messages({ state: 'waiting' });
    expect(waiting.map(({ subject }) => subject)).toEqual(subjects.toReversed());
    expect(waiting[0]).toEqual({
      id: expect.stringMatching(/^msg_/),
      event: 'delete',
      subject: subjects[1],
      state: 'waiting',
      attempts: 0,
      lastOutcome: null,
      createdDate: expect.any(String),
      nextAttemptDate: expect.any(String),
      settledDate: null,
    });
    expect(await messages({ limit: '1', before: waiting[0]?.id ?? '' })).toEqual([waiting[1]]);
    expect(await messages({ state: 'delivered' })).toEqual([]);
    expect((await post('/v1/tenant/webhook/replay', { id: waiting[0]?.id })).status).toBe(409);

    const tested = await post('/v1/tenant/webhook/test');
    expect(tested.json()).toEqual({
      success: true,
      data: { isAccepted: true, outcome: 'http_200', tookMs: expect.any(Number) },
    });
    expect(receiver.calls.map(({ headers }) => headers['webhook-event'])).toEqual(['test']);

    open.app.operations.start();
    await vi.waitFor(async () => expect(await messages({ state: 'delivered' })).toHaveLength(2), {
      timeout: 20_000,
    });
    const id = waiting[0]?.id;
    const replayed = await post('/v1/tenant/webhook/replay', { id });
    expect(replayed.json()).toEqual({ success: true, data: { replayed: 1 } });
    expect(await entries({ event: 'webhook.replayed' })).toMatchObject([
      { actor: { type: 'api' }, details: { messages: 1 } },
    ]);
    const sent = () => receiver.calls.filter(({ headers }) => headers['webhook-id'] === id);
    await vi.waitFor(() => expect(sent()).toHaveLength(2), { timeout: 40_000 });
    expect((await post('/v1/tenant/webhook/replay')).json()).toMatchObject({
      data: { replayed: 0 },
    });
  }, 90_000);
});
