/** `/v1/tenant/user`, the users of a tenant; `/v1/user/settings`, the requesting user's own; and `/v1/feedback`. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TenantUser } from '../../service/access/tenant-users.ts';
import type { Administration } from '../../service/app.ts';
import { ofOne, ofTenant, succeeded, withoutUndefined } from '../../contract/common.ts';
import { success } from '../responses.ts';
import { requireCaller, requireUserId } from '../authenticate.ts';
import { operation, operations } from '../openapi.ts';
import type { FastifyRequest } from 'fastify';
import type { Core } from '../../service/core.ts';
import * as contract from '../../contract/auth.ts';
import { invalidRequest } from '../../errors.ts';
import { longBodyLimitBytes } from '../bodies.ts';

export const peopleRoutes: FastifyPluginAsyncTypebox<
  Pick<Administration, 'tenantUsers' | 'feedback'> & Pick<Core, 'userSettings'>
> = async (server, { tenantUsers, feedback, userSettings }) => {
  server.get('/v1/tenant/user', declared.listUsers, async (request) =>
    success((await tenantUsers.list(requireCaller(request))).map(shown)),
  );

  server.post('/v1/tenant/user', declared.createUser, async (request) => {
    const { email, password, name, scopes } = request.body;
    const user = { email, password, ...withoutUndefined({ name, scopes }) };
    return success(shown(await tenantUsers.create(requireCaller(request), user)));
  });

  server.put('/v1/tenant/user', declared.updateUser, async (request) => {
    const { id, name, scopes } = request.body;
    const change = withoutUndefined({ name, scopes });
    return success(shown(await tenantUsers.update(requireCaller(request), id, change)));
  });

  server.post('/v1/tenant/user/password', declared.resetUserPassword, async (request) => {
    const { id, newPassword } = request.body;
    await tenantUsers.setPassword(requireCaller(request), id, newPassword);
    return success();
  });

  server.post('/v1/tenant/user/disable', declared.disableUser, async (request) =>
    success(shown(await tenantUsers.disable(requireCaller(request), request.body.id))),
  );

  server.post('/v1/tenant/user/enable', declared.enableUser, async (request) =>
    success(shown(await tenantUsers.enable(requireCaller(request), request.body.id))),
  );

  server.get('/v1/user/settings', declared.getUserSettings, async (request) =>
    success(await userSettings.read(requireUserId(request))),
  );

  server.put('/v1/user/settings', declared.updateUserSettings, async (request) => {
    const { lang, tosAccepted } = request.body;
    await userSettings.change(requireUserId(request), withoutUndefined({ lang, tosAccepted }));
    return success();
  });

  server.post('/v1/feedback', sendFeedback, async (request) => {
    const sender = { userId: requireUserId(request), tenantId: requireCaller(request).tenant.id };
    // The members of a message that the contract knows; anything else is dropped.
    const { url, name, email, message, source = contract.defaultSource, ...more } = request.body;
    const { replaySessionId, sourceAttributes } = more;
    const optional = withoutUndefined({ replaySessionId, sourceAttributes });
    await feedback.submit(sender, { url, name, email, message, source, ...optional });
    return success();
  });
};

const access = 'tenantManager';
const declared = operations({
  listUsers: {
    access,
    summary: 'List the users of a tenant, ordered by email address',
    querystring: ofTenant,
    answer: contract.peopleResponse,
  },
  createUser: {
    access,
    summary: 'Create the account of a user of the tenant',
    body: contract.newPersonBody,
    answer: contract.personResponse,
  },
  updateUser: {
    access,
    summary: 'Change the name and scopes of a user; omitted members stay unchanged',
    body: contract.changePersonBody,
    answer: contract.personResponse,
  },
  resetUserPassword: {
    access,
    summary: 'Set a new password for a user, end all their sessions and unlock the account',
    body: contract.personPasswordBody,
    answer: succeeded,
  },
  disableUser: {
    access,
    summary: 'Disable a user and end all their sessions',
    body: ofOne,
    answer: contract.personResponse,
  },
  enableUser: {
    access,
    summary: 'Enable a disabled user',
    body: ofOne,
    answer: contract.personResponse,
  },
  getUserSettings: {
    access: 'userSettings',
    summary: 'Read your own settings',
    answer: contract.settingsResponse,
  },
  updateUserSettings: {
    access: 'userSettings',
    summary: 'Change your own settings; omitted members stay unchanged',
    body: contract.settingsBody,
    answer: succeeded,
  },
});

function shown({ id, email, name, userType, scopes, ...user }: TenantUser): contract.TenantPerson {
  return {
    id,
    email,
    name,
    userType,
    scopes,
    isDisabled: user.disabledAt !== null,
    isManageable: user.isManageable,
    createdDate: user.createdAt.toISOString(),
    lastLoginDate: user.lastLoginAt?.toISOString() ?? null,
  };
}

const sendFeedback = {
  ...operation('sendFeedback', {
    access: 'tenantUser',
    bodyLimit: longBodyLimitBytes,
    summary: 'Send a message to the team behind the service',
    description:
      'It is stored at once and forwarded later; any Content-Type other than JSON gets 400.',
    body: contract.feedbackBody,
    answer: succeeded,
  }),
  // For this one operation, the contract counts a wrong content type as an invalid request.
  async preParsing({ headers }: FastifyRequest) {
    if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return;
    throw invalidRequest('The body must be JSON: send Content-Type: application/json.');
  },
};
