/** `/v1/tenant/user`: the people of a tenant, for those of them who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { TenantUser } from '../../service/access/tenant-users.ts';
import type { App } from '../../service/app.ts';
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
import { callerOf } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

const path = '/v1/tenant/user';
const config = { access: 'tenantManager' as const };
const ofChanges = ['not_found', 'conflict', 'not_offered'] as const;

export const peopleRoutes: FastifyPluginAsyncTypebox<Pick<App, 'tenantUsers'>> = async (
  server,
  { tenantUsers },
) => {
  server.get(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'listUsers',
          summary: 'List the users of a tenant, by address',
          failures: ['not_offered'],
        }),
        querystring: peopleQuery,
        response: { 200: peopleAnswer },
      },
    },
    async (request) => {
      const found = await tenantUsers.list(callerOf(request));
      return success(found.map(shown));
    },
  );

  server.post(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'createUser',
          summary: 'Create the account of a user of the tenant',
          failures: ['conflict', 'not_offered'],
        }),
        body: newPersonBody,
        response: { 200: personAnswer },
      },
    },
    async (request) => {
      const { email, password, name, scopes } = request.body;
      const made = await tenantUsers.create(callerOf(request), {
        email,
        password,
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes }),
      });
      return success(shown(made));
    },
  );

  server.put(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'updateUser',
          summary: 'Change name and scopes of a user; what is left out stays',
          failures: ofChanges,
        }),
        body: changePersonBody,
        response: { 200: personAnswer },
      },
    },
    async (request) => {
      const { id, name, scopes } = request.body;
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes }),
      };
      return success(shown(await tenantUsers.update(callerOf(request), id, change)));
    },
  );

  server.post(
    `${path}/password`,
    {
      config,
      schema: {
        ...operation({
          id: 'resetUserPassword',
          summary: 'Set a new password for a user; all sessions end, and a locked account opens',
          failures: ofChanges,
        }),
        body: personPasswordBody,
        response: { 200: succeeded },
      },
    },
    async (request) => {
      const { id, newPassword } = request.body;
      await tenantUsers.setPassword(callerOf(request), id, newPassword);
      return success();
    },
  );

  server.post(
    `${path}/disable`,
    {
      config,
      schema: {
        ...operation({
          id: 'disableUser',
          summary: 'Disable a user and end all sessions',
          failures: ofChanges,
        }),
        body: personBody,
        response: { 200: personAnswer },
      },
    },
    async (request) =>
      success(shown(await tenantUsers.disable(callerOf(request), request.body.id))),
  );

  server.post(
    `${path}/enable`,
    {
      config,
      schema: {
        ...operation({
          id: 'enableUser',
          summary: 'Enable a disabled user',
          failures: ofChanges,
        }),
        body: personBody,
        response: { 200: personAnswer },
      },
    },
    async (request) => success(shown(await tenantUsers.enable(callerOf(request), request.body.id))),
  );
};

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
