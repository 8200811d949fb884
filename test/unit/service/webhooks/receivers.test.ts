import { expect, test } from 'vitest';
import { hasFailingReceiver } from '../../../../src/service/webhooks/outbox.ts';
import { startReceiver } from './receiver.ts';
import { retryPausesMs, setUpReceiver } from './set-up.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A tenant whose receiver fails at first. */
async function setUpFailing() {
  const parts = await setUpReceiver();
  const { db, clock, deliverer, tenants, id, answer } = parts;
  answer.status = 500;
  return {
    ...parts,
    state: async () => (await tenants.byId(id))!,
    isFailing: () => hasFailingReceiver(db, clock.now()),
    /** Uses up all attempts of a message; the receiver fails all of them. */
    exhaust: async () => {
      for (const pauseMs of retryPausesMs) {
        await deliverer.drain();
        clock.step(pauseMs);
      }
      await deliverer.drain();
    },
  };
}

test('a receiver that fails for days is disabled, and waiting messages are given up', async () => {
  const { send, exhaust, state, states, receiver, isFailing, deliverer, notices } =
    await setUpFailing();
  await send('a1');
  await exhaust();
  expect(await state()).toMatchObject({ webhookDisabledAt: null });
  await send('a2', { n: 1 });
  await send('a2', { n: 2 });
  await exhaust();

  expect(await state()).toMatchObject({
    webhookDisabledAt: expect.any(Date),
    webhookDisabledReason: 'failing',
  });
  expect(notices.at(-1)).toMatchObject({ what: 'webhook-switched-off', outcome: 'http_500' });
  expect((await states()).map((row) => row.state)).toEqual(['given_up', 'given_up', 'given_up']);
  expect(await isFailing()).toBe(true);
  const before = receiver.calls.length;
  await send('a3');
  await deliverer.drain();
  expect(receiver.calls).toHaveLength(before);
});

test('a single failure long after another one disables nothing', async () => {
  const { send, exhaust, state, clock, deliverer, answer } = await setUpFailing();
  await send('a1');
  await exhaust();
  clock.step(30 * dayMs);

  await send('a2');
  await deliverer.drain();
  expect(await state()).toMatchObject({ webhookDisabledAt: null });
  answer.status = 200;
  clock.step(retryPausesMs[0]!);
  await deliverer.drain();

  expect(await state()).toMatchObject({ webhookDisabledAt: null, webhookFailingSince: null });
});

test('a new URL clears the failures of the old one, even during an attempt', async () => {
  const { send, id, exhaust, state, tenants, deliverer, isFailing } = await setUpFailing();
  await send('a1');
  await exhaust();
  await send('a2');
  await exhaust();
  expect(await isFailing()).toBe(true);

  const other = await startReceiver((response) => {
    response.statusCode = 500;
    void tenants.update(id, { webhookUrl: third.url }).then(() => response.end());
  });
  const third = await startReceiver();
  await tenants.update(id, { webhookUrl: other.url });
  await send('a3');
  await deliverer.drain();

  expect(other.calls).toHaveLength(1);
  expect(await state()).toMatchObject({
    webhookUrl: third.url,
    webhookDisabledAt: null,
    webhookDisabledReason: null,
    webhookFailingSince: null,
  });
  expect(await isFailing()).toBe(false);
});

test('a message that the old receiver refused for good goes to the one set in the meantime', async () => {
  const { send, id, state, states, tenants, deliverer } = await setUpFailing();
  const next = await startReceiver();
  const old = await startReceiver((response) => {
    response.statusCode = 410;
    void tenants.update(id, { webhookUrl: next.url }).then(() => response.end());
  });
  await tenants.update(id, { webhookUrl: old.url });
  await send('a1');

  await deliverer.drain();

  expect(next.calls).toHaveLength(1);
  expect(await states()).toEqual([{ state: 'delivered', attempts: 2, lastOutcome: 'http_200' }]);
  expect(await state()).toMatchObject({ webhookDisabledAt: null });
});

test('a receiver counts as failing after an hour, and no longer once it works', async () => {
  const { send, deliverer, clock, isFailing, answer } = await setUpFailing();
  await send('a1');
  await deliverer.drain();
  expect(await isFailing()).toBe(false);

  clock.step(hourMs + 1);
  expect(await isFailing()).toBe(true);
  answer.status = 204;
  await deliverer.drain();

  expect(await isFailing()).toBe(false);
});
