/** `/v1/tenant/audit` and `/v1/tenant/webhook`: what was done in a tenant, and what its receiver was told. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toActor } from '../../service/access/principal.ts';
import type { Administration } from '../../service/app.ts';
import type { Core } from '../../service/core.ts';
import { parseEntry } from '../../service/audit/entry.ts';
import { auditAnswer, auditQuery } from '../../contract/audit.ts';
import {
  deliveriesAnswer,
  deliveriesQuery,
  replayAnswer,
  replayBody,
  webhookTestAnswer,
  webhookTestBody,
} from '../../contract/webhooks.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

const defaultLimit = 100;

export const administrationRoutes: FastifyPluginAsyncTypebox<
  Pick<Core, 'audit'> & Pick<Administration, 'webhookLog'>
> = async (server, { audit, webhookLog }) => {
  server.get('/v1/tenant/audit', readAuditLog, async (request) => {
    const { tenantName: _checked, from, to, limit = defaultLimit, ...filter } = request.query;
    const lines = await audit.page({
      chain: requireCaller(request).tenant.id,
      ...filter,
      ...(from === undefined ? {} : { from: new Date(from) }),
      ...(to === undefined ? {} : { to: new Date(to) }),
      limit,
    });
    return success(
      lines.map((line) => {
        const entry = parseEntry(line);
        return { ...entry, details: { ...entry.details }, hash: line.hash };
      }),
    );
  });

  server.get('/v1/tenant/webhook', listWebhookMessages, async (request) => {
    const { tenantName: _checked, limit = defaultLimit, ...query } = request.query;
    const found = await webhookLog.list(requireCaller(request).tenant.id, { ...query, limit });
    return success(
      found.map(({ createdAt, nextAttemptAt, settledAt, ...entry }) => ({
        ...entry,
        createdDate: createdAt.toISOString(),
        nextAttemptDate: nextAttemptAt?.toISOString() ?? null,
        settledDate: settledAt?.toISOString() ?? null,
      })),
    );
  });

  server.post('/v1/tenant/webhook/replay', replayWebhookMessages, async (request) => {
    const { id } = request.body;
    const which = id === undefined ? 'given_up' : { id };
    const { principal, tenant } = requireCaller(request);
    const replayed = await webhookLog.replay(tenant.id, which, toActor(principal));
    return success({ replayed: replayed.length });
  });

  server.post('/v1/tenant/webhook/test', testWebhook, async (request) =>
    success(await webhookLog.test(requireCaller(request).tenant)),
  );
};

const readAuditLog = operation(
  {
    id: 'readAuditLog',
    access: 'tenantSettings',
    summary: 'Read the audit log of a tenant, newest first',
  },
  { querystring: auditQuery, response: { 200: auditAnswer } },
);

const listWebhookMessages = operation(
  {
    id: 'listWebhookMessages',
    access: 'tenantSettings',
    summary: 'List the messages to the webhook of a tenant, newest first',
  },
  { querystring: deliveriesQuery, response: { 200: deliveriesAnswer } },
);

const replayWebhookMessages = operation(
  {
    id: 'replayWebhookMessages',
    access: 'tenantSettings',
    summary: 'Send a settled message once more, or all that were given up',
    description: 'They keep their ids, by which a receiver recognises a repetition.',
    failures: ['not_found', 'conflict'],
  },
  { body: replayBody, response: { 200: replayAnswer } },
);

const testWebhook = operation(
  {
    id: 'testWebhook',
    access: 'tenantSettings',
    summary: 'Send one signed test message to the webhook of a tenant',
    description:
      'Its header webhook-event is "test". Nothing is repeated or kept, and a webhook that was switched off stays so.',
    failures: ['conflict'],
  },
  { body: webhookTestBody, response: { 200: webhookTestAnswer } },
);
