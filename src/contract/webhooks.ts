/** Messages to a tenant's webhook: their outcome, resending, and test messages. */

import { Type } from 'typebox';
import {
  described,
  responseWith,
  dateTime,
  objectId,
  oneOf,
  orNull,
  tenantName,
  type Wire,
  list,
} from './common.ts';
import { maxListed } from './limits.ts';
import { deliveryStates } from './vocabulary.ts';

export const deliveriesQuery = Type.Object({
  tenantName,
  state: Type.Optional(oneOf(deliveryStates)),
  before: Type.Optional({
    ...objectId,
    description: 'Only older messages: to get the next page, send the last id of this one.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxListed, default: 100 })),
});

export type Delivery = Wire<typeof delivery>;
const delivery = Type.Object({
  id: described('The webhook-id header.'),
  event: Type.String(),
  subject: described('Id of the analysis.'),
  state: oneOf(deliveryStates),
  attempts: Type.Integer({ minimum: 0 }),
  lastOutcome: orNull(
    described('Such as http_204, timeout or address_refused; null before the first attempt.'),
  ),
  createdDate: dateTime,
  nextAttemptDate: orNull({
    ...dateTime,
    description:
      'Null for a settled message, and for one that waits for another about the same analysis.',
  }),
  settledDate: orNull(dateTime),
});
export const deliveriesResponse = responseWith(
  list('Newest first: waiting messages, and those settled in the last 30 days.', delivery),
);

export const replayBody = Type.Object({
  tenantName,
  id: Type.Optional({
    ...objectId,
    description: 'If omitted, all messages that could not be delivered.',
  }),
});
export const replayResponse = responseWith(Type.Object({ replayed: Type.Integer({ minimum: 0 }) }));

export type WebhookTest = Wire<typeof webhookTest>;
const webhookTest = Type.Object({
  isAccepted: Type.Boolean(),
  outcome: described('Such as http_204, timeout or address_refused.'),
  tookMs: Type.Integer({ minimum: 0 }),
});
export const webhookTestResponse = responseWith(webhookTest);
