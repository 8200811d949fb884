import { expect, test } from 'vitest';
import { judgeWebhook } from '../../../../src/ops/doctor/webhooks.ts';

const at = new Date('2026-03-01T12:00:00Z');
const working = {
  name: 'acme',
  webhookDisabledAt: null,
  webhookDisabledReason: null,
  webhookFailingSince: null,
};

test('a working receiver is ok', () => {
  expect(judgeWebhook(working, null).state).toBe('ok');
});

test('a failing receiver is reported with its last outcome and advice', () => {
  const judged = judgeWebhook({ ...working, webhookFailingSince: at }, 'ECONNREFUSED');

  expect(judged).toEqual({
    name: 'webhook',
    tenant: 'acme',
    state: 'warning',
    message:
      'Its receiver has been failing since 2026-03-01T12:00:00.000Z. Last outcome: ECONNREFUSED.',
    fix: 'Nothing is listening there. Start the receiver, or check the port in the URL. Then test it: forensics webhooks test --tenant acme',
  });
});

test.each([
  ['gone', 'its receiver returned 410 Gone'],
  ['failing', 'it failed'],
] as const)('a receiver that was given up (%s) is a failure', (webhookDisabledReason, why) => {
  const judged = judgeWebhook({ ...working, webhookDisabledAt: at, webhookDisabledReason }, null);

  expect(judged).toMatchObject({
    state: 'failed',
    message: `Switched off on 2026-03-01, because ${why}.`,
    fix: 'Then set its URL again: forensics tenant update acme --webhook-url <url>',
  });
});
