/** `/v1/tenant`: a tenant, for everyone who may act for it; changes require the right to change its settings. */

import { sendTestMessage, replay, listDeliveries } from '../../service/webhooks/deliver.ts';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as contract from '../../contract/tenant.ts';
import { ofTenant, succeeded } from '../../contract/common.ts';
import { reportQuery, reportResponse } from '../../contract/usage.ts';
import { conflict, invalidRequest } from '../../errors.ts';
import { toActor } from '../../service/access/principal.ts';
import type { Administration } from '../../service/app.ts';
import { parseEntry } from '../../service/audit/entry.ts';
import type { Core } from '../../service/core.ts';
import { success } from '../responses.ts';
import { requireCaller } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operations } from '../openapi.ts';

export const tenantRoutes: FastifyPluginAsyncTypebox<
  Pick<Administration, 'tenancy'> & Pick<Core, 'usage'>
> = async (server, { tenancy, usage }) => {
  server.get('/v1/tenant', declared.getTenant, async (request) =>
    success(await tenancy.read(requireCaller(request).tenant)),
  );

  server.put('/v1/tenant', declared.updateTenant, async (request) => {
    const { tenantName, ...change } = request.body;
    const { tenantName: inQuery } = request.query;
    if (tenantName !== undefined && inQuery !== undefined && tenantName !== inQuery) {
      throw invalidRequest(
        'The query and the body specify different tenants; send tenantName once. A new name goes into name.',
      );
    }
    const { principal, tenant } = requireCaller(request);
    return success(await tenancy.change(tenant, change, toActor(principal)));
  });

  server.get('/v1/tenant/report', declared.readUsageReport, async (request) => {
    const { tenantName: _checked, ...query } = request.query;
    return success(await usage.report(requireCaller(request).tenant, query));
  });
};

const declared = operations({
  getTenant: {
    summary: 'Read a tenant, with its secrets masked',
    querystring: ofTenant,
    answer: contract.tenantResponse,
  },
  updateTenant: {
    access: 'tenantSettings',
    bodyLimit: longBodyLimitBytes,
    summary:
      'Rename a tenant, set its webhook and default options, or choose where its objects are stored',
    description: `Accepts the response of GET unchanged, with its secrets masked. A new storage configuration is tested
(write, read, delete) before it is saved; existing analyses stay readable in their previous store.`,
    querystring: contract.changeQuery,
    body: contract.changeBody,
    answer: contract.tenantResponse,
  },
  readUsageReport: {
    summary: 'Read the usage of a tenant: in total, or summed over a range of days',
    querystring: reportQuery,
    answer: reportResponse,
  },
  readAuditLog: {
    access: 'tenantSettings',
    summary: 'Read the audit log of a tenant, newest first',
    querystring: contract.auditQuery,
    answer: contract.auditResponse,
  },
  listWebhookMessages: {
    access: 'tenantSettings',
    summary: "List the messages to a tenant's webhook, newest first",
    querystring: contract.deliveriesQuery,
    answer: contract.deliveriesResponse,
  },
  replayWebhookMessages: {
    access: 'tenantSettings',
    summary: 'Send a settled message again, or all that could not be delivered',
    description: 'They keep their ids, so that a receiver can recognise repeats.',
    body: contract.replayBody,
    answer: contract.replayResponse,
  },
  testWebhook: {
    access: 'tenantSettings',
    summary: "Send one signed test message to a tenant's webhook",
    description:
      'Its webhook-event header is "test". It is neither retried nor stored, and a disabled webhook stays disabled.',
    body: ofTenant,
    answer: contract.webhookTestResponse,
  },
  listLegalHolds: {
    access: 'tenantManager',
    summary: 'List the legal holds of a tenant',
    querystring: ofTenant,
    answer: contract.holdsResponse,
  },
  placeLegalHold: {
    access: 'tenantManager',
    summary: 'Place a legal hold on an analysis, or on all data of a tenant',
    description:
      'Anything under a hold can be deleted, but remains stored until the hold is lifted.',
    body: contract.newHoldBody,
    answer: contract.holdResponse,
  },
  liftLegalHold: {
    access: 'tenantManager',
    summary: "Lift a legal hold; only the operator can lift the operator's own",
    body: contract.heldBody,
    answer: succeeded,
  },
});

// `/v1/tenant/audit` and `/v1/tenant/webhook`: the audit log of a tenant, and the messages to its receiver.

const defaultLimit = 100;

export const administrationRoutes: FastifyPluginAsyncTypebox<
  { readonly core: Core } & Pick<Administration, 'webhookAllow'>
> = async (server, { core, webhookAllow: allow }) => {
  const { audit, now, webhookKey: serverKey } = core;
  const { db } = core.database;

  server.get('/v1/tenant/audit', declared.readAuditLog, async (request) => {
    const { tenantName: _checked, from, to, limit = defaultLimit, ...filter } = request.query;
    const lines = await audit.read({
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

  server.get('/v1/tenant/webhook', declared.listWebhookMessages, async (request) => {
    const { tenantName: _checked, limit = defaultLimit, state = null, ...query } = request.query;
    const { id: tenantId } = requireCaller(request).tenant;
    return success(await listDeliveries(db, { ...query, tenantId, state, limit }));
  });

  server.post('/v1/tenant/webhook/replay', declared.replayWebhookMessages, async (request) => {
    const { id } = request.body;
    const which = id === undefined ? 'given_up' : { id };
    const { principal, tenant } = requireCaller(request);
    const by = toActor(principal);
    const replayed = await replay(db, { tenantId: tenant.id, which, at: now(), by });
    return success({ replayed: replayed.length });
  });

  server.post('/v1/tenant/webhook/test', declared.testWebhook, async (request) => {
    const { id: tenantId, webhookUrl: url } = requireCaller(request).tenant;
    if (url === null) {
      throw conflict('The tenant has no webhook; set its webhookUrl first.');
    }
    const test = { tenantId, url, serverKey, allow, at: now() };
    const { id: _id, ...outcome } = await sendTestMessage(test);
    return success(outcome);
  });
};

// `/v1/tenant/hold`: the legal holds of a tenant, for users who may change its settings.

export const holdRoutes: FastifyPluginAsyncTypebox<Pick<Core, 'holds'>> = async (
  server,
  { holds },
) => {
  server.get('/v1/tenant/hold', declared.listLegalHolds, async (request) =>
    success(await holds.list(requireCaller(request).tenant.id)),
  );

  server.post('/v1/tenant/hold', declared.placeLegalHold, async (request) => {
    const { analysisId = null, reason } = request.body;
    const { principal, tenant } = requireCaller(request);
    const hold = { tenantId: tenant.id, analysisId, reason };
    return success(await holds.add(hold, toActor(principal)));
  });

  server.delete('/v1/tenant/hold', declared.liftLegalHold, async (request) => {
    const { principal, tenant } = requireCaller(request);
    const { analysisId = null } = request.body;
    await holds.remove({ tenantId: tenant.id, analysisId }, toActor(principal));
    return success();
  });
};
