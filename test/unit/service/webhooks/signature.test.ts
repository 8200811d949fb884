import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { messageHeaders, webhookSecret } from '../../../../src/service/webhooks/deliver.ts';

const secret = webhookSecret(new Uint8Array(32).fill(3), 'acme');
const body = '{"name":"Grüße"}';
const message = { id: 'msg_1', event: 'update', at: new Date(), body };

test('the standard’s own library accepts the message, and makes the same signature', () => {
  const headers = messageHeaders(secret, message);

  expect(new Webhook(secret).verify(body, headers)).toEqual({ name: 'Grüße' });
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign('msg_1', message.at, body));
});

test.each([
  ['the secret of another tenant', webhookSecret(new Uint8Array(32).fill(3), 'other'), body],
  ['the secret of another server', webhookSecret(new Uint8Array(32), 'acme'), body],
  ['another body', secret, `${body} `],
])('it refuses %s', (_what, otherSecret, otherBody) => {
  const headers = messageHeaders(secret, message);

  expect(() => new Webhook(otherSecret).verify(otherBody, headers)).toThrow(
    /No matching signature/,
  );
});
