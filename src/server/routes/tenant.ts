/** `/v1/tenant`, which only some may change, its users, a user's own settings, and feedback. */

import { sendTestMessage, replay, listDeliveries } from '../../service/webhooks/deliver.ts';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import * as auth from '../../contract/auth.ts';
import * as contract from '../../contract/tenant.ts';
import { ofOne, ofTenant, succeeded, toTime, withoutUndefined } from '../../contract/common.ts';
import { reportQuery, reportResponse } from '../../contract/usage.ts';
import { conflict, invalidRequest } from '../../contract/errors.ts';
import { toActor } from '../../service/access/principal.ts';
import type { Administration } from '../../service/app.ts';
import { parseEntry } from '../../service/audit/entry.ts';
import type { Core } from '../../service/core.ts';
import { success } from '../responses.ts';
import { requireCaller, requireUserId } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operation, operations } from '../openapi.ts';

export const tenantRoutes: FastifyPluginAsyncTypebox<
  Pick<Administration, 'tenancy'> & Pick<Core, 'usage' | 'holds'>
> = async (server, { tenancy, usage, holds }) => {
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
      ...(from === undefined ? {} : { from: toTime(from) }),
      ...(to === undefined ? {} : { to: toTime(to) }),
      limit,
    });
    return success(lines.map((line) => ({ ...parseEntry(line), hash: line.hash })));
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
    if (url === null) throw conflict('The tenant has no webhook; set its webhookUrl first.');
    const test = { tenantId, url, serverKey, allow, at: now() };
    const { id: _id, ...outcome } = await sendTestMessage(test);
    return success(outcome);
  });
};

// `/v1/tenant/user`, the users of a tenant; `/v1/user/settings`, the requesting user's own; and `/v1/feedback`.

export const peopleRoutes: FastifyPluginAsyncTypebox<
  Pick<Administration, 'tenantUsers' | 'feedback'> & Pick<Core, 'userSettings'>
> = async (server, { tenantUsers, feedback, userSettings }) => {
  server.get('/v1/tenant/user', people.listUsers, async (request) =>
    success(await tenantUsers.list(requireCaller(request))),
  );

  server.post('/v1/tenant/user', people.createUser, async (request) => {
    const { email, password, name, scopes } = request.body;
    const user = { email, password, ...withoutUndefined({ name, scopes }) };
    return success(await tenantUsers.create(requireCaller(request), user));
  });

  server.put('/v1/tenant/user', people.updateUser, async (request) => {
    const { id, name, scopes } = request.body;
    const change = withoutUndefined({ name, scopes });
    return success(await tenantUsers.update(requireCaller(request), id, change));
  });

  server.post('/v1/tenant/user/password', people.resetUserPassword, async (request) => {
    const { id, newPassword } = request.body;
    await tenantUsers.setPassword(requireCaller(request), id, newPassword);
    return success();
  });

  server.post('/v1/tenant/user/disable', people.disableUser, async (request) =>
    success(await tenantUsers.disable(requireCaller(request), request.body.id)),
  );

  server.post('/v1/tenant/user/enable', people.enableUser, async (request) =>
    success(await tenantUsers.enable(requireCaller(request), request.body.id)),
  );

  server.get('/v1/user/settings', people.getUserSettings, async (request) =>
    success(await userSettings.read(requireUserId(request))),
  );

  server.put('/v1/user/settings', people.updateUserSettings, async (request) => {
    const { lang, tosAccepted } = request.body;
    await userSettings.change(requireUserId(request), withoutUndefined({ lang, tosAccepted }));
    return success();
  });

  server.post('/v1/feedback', sendFeedback, async (request) => {
    const sender = { userId: requireUserId(request), tenantId: requireCaller(request).tenant.id };
    // The members of a message that the contract knows; anything else is dropped.
    const { url, name, email, message, source = auth.defaultSource, ...more } = request.body;
    const { replaySessionId, sourceAttributes } = more;
    const optional = withoutUndefined({ replaySessionId, sourceAttributes });
    await feedback.submit(sender, { url, name, email, message, source, ...optional });
    return success();
  });
};

const access = 'tenantManager';
const people = operations({
  listUsers: {
    access,
    summary: 'List the users of a tenant, ordered by email address',
    querystring: ofTenant,
    answer: auth.peopleResponse,
  },
  createUser: {
    access,
    summary: 'Create the account of a user of the tenant',
    body: auth.newPersonBody,
    answer: auth.personResponse,
  },
  updateUser: {
    access,
    summary: 'Change the name and scopes of a user; omitted members stay unchanged',
    body: auth.changePersonBody,
    answer: auth.personResponse,
  },
  resetUserPassword: {
    access,
    summary: 'Set a new password for a user, end all their sessions and unlock the account',
    body: auth.personPasswordBody,
    answer: succeeded,
  },
  disableUser: {
    access,
    summary: 'Disable a user and end all their sessions',
    body: ofOne,
    answer: auth.personResponse,
  },
  enableUser: {
    access,
    summary: 'Enable a disabled user',
    body: ofOne,
    answer: auth.personResponse,
  },
  getUserSettings: {
    access: 'userSettings',
    summary: 'Read your own settings',
    answer: auth.settingsResponse,
  },
  updateUserSettings: {
    access: 'userSettings',
    summary: 'Change your own settings; omitted members stay unchanged',
    body: auth.settingsBody,
    answer: succeeded,
  },
});

const sendFeedback = {
  ...operation('sendFeedback', {
    access: 'tenantUser',
    bodyLimit: longBodyLimitBytes,
    summary: 'Send a message to the team behind the service',
    description:
      'It is stored at once and forwarded later; any Content-Type other than JSON gets 400.',
    body: auth.feedbackBody,
    answer: succeeded,
  }),
  // For this one operation, the contract counts a wrong content type as an invalid request.
  async preParsing({ headers }: FastifyRequest) {
    if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return;
    throw invalidRequest('The body must be JSON: send Content-Type: application/json.');
  },
};
