/** A database with a deliverer that may call receivers on loopback. */

import { onTestFinished } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { deliveries } from '../../../../src/ports/db/schema.ts';
import { createDeliverer } from '../../../../src/service/webhooks/deliver.ts';
import { createOutbox } from '../../../../src/service/webhooks/outbox.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';
import { answering, startReceiver } from './receiver.ts';

export const serverKey = new Uint8Array(32).fill(3);

export async function setUp(options: Partial<Parameters<typeof createDeliverer>[0]> = {}) {
  const db = await testDb();
  // The standard's library checks signatures against the real time.
  const clock = steppedClock(new Date().toISOString());
  const tenants = createTenants({ db, now: clock.now });
  const outbox = createOutbox({ db, now: clock.now });
  const notices: object[] = [];
  const open = (more: Partial<Parameters<typeof createDeliverer>[0]> = {}) => {
    const deliverer = createDeliverer({
      outbox,
      now: clock.now,
      serverKey,
      allow: ['127.0.0.0/8'],
      random: () => 0,
      pollMs: 3_600_000,
      onNotice: (what, facts) => notices.push({ what, ...facts }),
      ...options,
      ...more,
    });
    onTestFinished(() => deliverer.stop());
    return deliverer;
  };
  const tenant = async (name: string, webhookUrl: string) => {
    const { id } = await tenants.create({ name });
    return tenants.update(id, { webhookUrl });
  };
  const sendFor = (tenantId: string, subject: string, payload: Record<string, unknown>) =>
    transact(db, (tx) =>
      outbox.enqueueDelivery(tx, {
        tenantId,
        subject,
        event: 'update',
        payload: async () => payload,
      }),
    );
  const states = async () =>
    (await db.select().from(deliveries).orderBy(deliveries.seq).all()).map(
      ({ state, attempts, lastOutcome }) => ({ state, attempts, lastOutcome }),
    );
  const opened = { db, clock, tenants, outbox, deliverer: open(), open, notices };
  return { ...opened, tenant, sendFor, states };
}

/** The same with a tenant "acme", whose receiver answers as given, or with the current `answer.status`. */
export async function setUpReceiver(
  given?: Parameters<typeof startReceiver>[0],
  options: Parameters<typeof setUp>[0] = {},
) {
  const answer = { status: 200 };
  const receiver = await startReceiver(given ?? ((response) => answering(answer.status)(response)));
  const parts = await setUp(options);
  const { id } = await parts.tenant('acme', receiver.url);
  const send = (subject: string, payload: Record<string, unknown> = {}) =>
    parts.sendFor(id, subject, payload);
  return { ...parts, id, receiver, answer, send };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Pauses after the first, second, ... failed attempt: three to four days in all. */
export const retryPausesMs: readonly number[] = [
  5000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];
