/** Feedback as a JSON POST to the administrator's own receiver. */

import type { Sender } from '../outbound/sender.ts';
import type { Channel } from './channel.ts';
import type { Submission } from './message.ts';

export function createPostChannel(to: {
  readonly url: string;
  readonly sender: Pick<Sender, 'post'>;
}): Channel {
  return async (submission) => {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      // The same for every attempt: the receiver knows a repetition by it.
      'webhook-id': submission.id,
    };
    const { kind, detail } = await to.sender.post(
      to.url,
      JSON.stringify(bodyOf(submission)),
      headers,
    );
    return { kind: kind === 'gone' ? 'refused' : kind, detail };
  };
}

/** What was sent in, under what the service knows for certain. */
function bodyOf({ id, userId, tenantId, tenantName, createdAt, message }: Submission) {
  return { ...message, id, userId, tenantId, tenantName, createdAt };
}
