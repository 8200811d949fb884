import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  checkSignature,
  messageHeaders,
  webhookSecret,
} from '../../../../src/service/webhooks/signature.ts';

const secret = webhookSecret(new Uint8Array(32).fill(3), 'acme');
const at = new Date();
const body = '{"name":"Grüße"}';

/** As the standard's own library signs. */
const received = {
  id: 'msg_1',
  timestamp: String(Math.floor(at.getTime() / 1000)),
  signature: new Webhook(secret).sign('msg_1', at, body),
  body,
};

test('what the standard’s own library signed is valid, also beside signatures of other secrets', () => {
  const others = messageHeaders(webhookSecret(new Uint8Array(32), 'acme'), {
    id: 'msg_1',
    event: 'update',
    at,
    body,
  })['webhook-signature'];
  const both = { ...received, signature: `v1a,AA== ${others} ${received.signature}` };

  expect(checkSignature(secret, received, at)).toBe('valid');
  expect(checkSignature(secret, both, at)).toBe('valid');
});

test.each([
  [{ body: `${body} ` }, 'wrong'],
  [{ id: 'msg_2' }, 'wrong'],
  [{ timestamp: String(Number(received.timestamp) + 1) }, 'wrong'],
  [{ signature: received.signature.replace('v1,', 'v2,') }, 'wrong'],
  [{ signature: 'v1,' }, 'wrong'],
  [{ signature: '' }, 'missing'],
  [{ id: '' }, 'missing'],
] as const)('with %j it is not valid but %s', (change, expected) => {
  expect(checkSignature(secret, { ...received, ...change }, at)).toBe(expected);
});

const check = (secondsLater: number) =>
  checkSignature(secret, received, new Date((Number(received.timestamp) + secondsLater) * 1000));

test('five minutes are the limit on both sides', () => {
  expect([check(-300), check(300)]).toEqual(['valid', 'valid']);
  expect([check(-301), check(301)]).toEqual(['too old or too new', 'too old or too new']);
});
