/** What the service sends to the webhook of a tenant, for the interface document. */

import { Type } from 'typebox';
import { dateTime, oneOf, orNull } from '../contract/common.ts';
import { statuses } from '../contract/vocabulary.ts';

export const analysisMessage = Type.Object(
  {
    analysisId: Type.String(),
    tenantId: Type.String(),
    name: Type.String(),
    status: oneOf(statuses),
    timestamp: dateTime,
    resultClass: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: '0 real, 1 fake, 2 abstain, 3 uncertain; there when status is completed.',
      }),
    ),
    resultSubClasses: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 2 }), {
        description: '0 ai-generated, 1 ai-manipulated, 2 manipulated',
      }),
    ),
    processingStartTime: orNull(dateTime),
    processingFinishTime: orNull(dateTime),
    statusMessage: Type.Optional(Type.String({ description: 'There when status is failed.' })),
  },
  {
    $id: 'AnalysisMessage',
    additionalProperties: false,
    examples: [
      {
        analysisId: '65f1c0ffee0123456789abcd',
        tenantId: '65f1c0ffee0123456789abce',
        name: 'Claim 4711',
        status: 'completed',
        timestamp: '2026-01-31T12:00:03.250Z',
        resultClass: 1,
        resultSubClasses: [0],
        processingStartTime: '2026-01-31T12:00:00.000Z',
        processingFinishTime: '2026-01-31T12:00:03.000Z',
      },
    ],
  },
);

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  in: 'header' as const,
  name,
  required: true,
  description,
  schema,
});

export const webhooks = {
  analysisStatus: {
    post: {
      operationId: 'analysisStatus',
      summary: 'The status of an analysis changed, or the analysis was deleted',
      description: `Sent to the webhookUrl of the tenant, signed as Standard Webhooks describes. At least once, in the
order of the changes of an analysis; any answer but 2xx within 5 seconds is tried again over three days, 410 ends all
messages. Redirects are not followed. Creating an analysis sends nothing.`,
      security: [],
      parameters: [
        header('webhook-id', 'The same for every attempt of a message.'),
        header('webhook-timestamp', 'Seconds since 1970 of this attempt.'),
        header('webhook-signature', 'v1, and HMAC-SHA-256 of id.timestamp.body in Base64.'),
        header('webhook-event', 'What happened.', { type: 'string', enum: ['update', 'delete'] }),
        header('user-agent', 'Always the same.', { const: 'Service-Webhook/1.0' }),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/AnalysisMessage' } },
        },
      },
      responses: {
        '2XX': { description: 'Taken.' },
        '410': { description: 'Nothing more is sent until the tenant sets its webhookUrl again.' },
        default: { description: 'Tried again later.' },
      },
    },
  },
};
