/** One message that tells of nothing, sent at once on the way that the real ones take. */

import { newId } from '../db/ids.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { createSender, type Outcome } from '../outbound/sender.ts';
import { messageHeaders, webhookSecret } from './signature.ts';

export interface TestMessage {
  readonly tenantId: string;
  readonly url: string;
  readonly serverKey: Uint8Array;
  /** Where calls may go, as for the deliverer. */
  readonly allow: readonly string[];
  readonly at: Date;
}

/** Beside `create`, `update` and `delete` of the contract. */
export const testEvent = 'test';

export interface TestOutcome extends Outcome {
  /** `webhook-id` of the message. */
  readonly id: string;
}

/**
 * Nothing is written, whatever the receiver answers: a receiver that was switched off stays so. The body has neither
 * `analysisId` nor `status`, so that nobody who overlooks the event takes it for news of an analysis.
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
