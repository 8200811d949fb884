/** `/v1/tenant/user`: the people of a tenant, for those of them who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TenantUser } from '../../service/access/tenant-users.ts';
import type { Administration } from '../../service/app.ts';
import { succeeded } from '../../contract/common.ts';
import {
  changePersonBody,
  newPersonBody,
  peopleAnswer,
  peopleQuery,
  personAnswer,
  personBody,
  personPasswordBody,
  type TenantPerson,
} from '../../contract/people.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

export const peopleRoutes: FastifyPluginAsyncTypebox<Pick<Administration, 'tenantUsers'>> = async (
  server,
  { tenantUsers },
) => {
  server.get('/v1/tenant/user', listUsers, async (request) =>
    success((await tenantUsers.list(requireCaller(request))).map(shown)),
  );

  server.post('/v1/tenant/user', createUser, async (request) => {
    const { email, password, name, scopes } = request.body;
    const user = { email, password, ...given({ name, scopes }) };
    return success(shown(await tenantUsers.create(requireCaller(request), user)));
  });

  server.put('/v1/tenant/user', updateUser, async (request) => {
    const { id, name, scopes } = request.body;
    return success(
      shown(await tenantUsers.update(requireCaller(request), id, given({ name, scopes }))),
    );
  });

  server.post('/v1/tenant/user/password', resetPassword, async (request) => {
    const { id, newPassword } = request.body;
    await tenantUsers.setPassword(requireCaller(request), id, newPassword);
    return success();
  });

  server.post('/v1/tenant/user/disable', disableUser, async (request) =>
    success(shown(await tenantUsers.disable(requireCaller(request), request.body.id))),
  );

  server.post('/v1/tenant/user/enable', enableUser, async (request) =>
    success(shown(await tenantUsers.enable(requireCaller(request), request.body.id))),
  );
};

const access = 'tenantManager';
const ofChanges = ['not_found', 'conflict', 'not_offered'] as const;

const listUsers = operation(
  {
    id: 'listUsers',
    access,
    summary: 'List the users of a tenant, by address',
    failures: ['not_offered'],
  },
  { querystring: peopleQuery, response: { 200: peopleAnswer } },
);
const createUser = operation(
  {
    id: 'createUser',
    access,
    summary: 'Create the account of a user of the tenant',
    failures: ['conflict', 'not_offered'],
  },
  { body: newPersonBody, response: { 200: personAnswer } },
);
const updateUser = operation(
  {
    id: 'updateUser',
    access,
    summary: 'Change name and scopes of a user; what is left out stays',
    failures: ofChanges,
  },
  { body: changePersonBody, response: { 200: personAnswer } },
);
const resetPassword = operation(
  {
    id: 'resetUserPassword',
    access,
    summary: 'Set a new password for a user; all sessions end, and a locked account opens',
    failures: ofChanges,
  },
  { body: personPasswordBody, response: { 200: succeeded } },
);
const disableUser = operation(
  {
    id: 'disableUser',
    access,
    summary: 'Disable a user and end all sessions',
    failures: ofChanges,
  },
  { body: personBody, response: { 200: personAnswer } },
);
const enableUser = operation(
  { id: 'enableUser', access, summary: 'Enable a disabled user', failures: ofChanges },
  { body: personBody, response: { 200: personAnswer } },
);

/** Without what was left out. */
function given<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> };
function given(change: object): object {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** Without the names of other tenants that the person may act for. */
function shown({ id, email, name, userType, scopes, ...user }: TenantUser): TenantPerson {
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
