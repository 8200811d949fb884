/** Signatures after Standard Webhooks, so that receivers can check them with any of its libraries. */

import { createHmac } from 'node:crypto';
import { newId } from '../../ports/db/database.ts';
import { createAddressGuard } from '../../ports/network/address-guard.ts';
import { createSender, type Outcome } from '../../ports/network/post.ts';

/**
 * The tenant's signing secret, `whsec_<base64 of 32 bytes>`. Derived from the server's own key, so that a stolen
 * database file signs nothing; the server's key yields all of them.
 */
export function webhookSecret(serverKey: Uint8Array, tenantId: string): string {
  const secret = createHmac('sha256', serverKey).update(`webhook-secret/1/${tenantId}`).digest();
  return `whsec_${secret.toString('base64')}`;
}

interface Message {
  /** The same for every attempt of a message: the receiver knows a repetition by it. */
  readonly id: string;
  readonly event: string;
  /** Time of this attempt; receivers refuse old ones. */
  readonly at: Date;
  readonly body: string;
}

/**
 * All headers of one attempt, as the contract and the standard want them.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function messageHeaders(
  secret: string,
  { id, event, at, body }: Message,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'webhook-event': event,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  };
}

/** A test message: it carries no analysis and is sent at once, over the same path as real messages. */
interface TestMessage {
  readonly tenantId: string;
  readonly url: string;
  readonly serverKey: Uint8Array;
  /** Where calls may go, as for the deliverer. */
  readonly allow: readonly string[];
  readonly at: Date;
}

/** Beside `create`, `update` and `delete` of the contract. */
const testEvent = 'test';

interface TestOutcome extends Outcome {
  /** `webhook-id` of the message. */
  readonly id: string;
}

/**
 * Nothing is written, whatever the receiver answers: a receiver that was switched off stays so. The body has neither
 * `analysisId` nor `status`, so that a receiver that ignores the event type cannot mistake it for news of an analysis.
 */
export async function sendTestMessage(test: TestMessage): Promise<TestOutcome> {
  const { tenantId, url, serverKey, allow, at } = test;
  const id = `test_${newId(at)}`;
  const body = JSON.stringify({ test: true, tenantId, timestamp: at.toISOString() });
  const headers = messageHeaders(webhookSecret(serverKey, tenantId), {
    id,
    event: testEvent,
    at,
    body,
  });
  const sender = createSender({ guard: createAddressGuard(allow) });
  try {
    return { id, ...(await sender.post(url, body, headers)) };
  } finally {
    await sender.close();
  }
}
