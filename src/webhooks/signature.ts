/** Signatures after Standard Webhooks, so that receivers can check them with any of its libraries. */

import { createHmac } from 'node:crypto';

/**
 * The tenant's signing secret, `whsec_<base64 of 32 bytes>`. Derived from the server's own key, so that a stolen
 * database file signs nothing; whoever has the server's key has all of them.
 */
export function webhookSecret(serverKey: Uint8Array, tenantId: string): string {
  const secret = createHmac('sha256', serverKey).update(`webhook-secret/1/${tenantId}`).digest();
  return `whsec_${secret.toString('base64')}`;
}

/**
 * The three headers of one attempt.
 *
 * @param id - the same for every attempt of a message: the receiver knows a repetition by it.
 * @param at - time of this attempt; receivers refuse old ones.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  secret: string,
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}
