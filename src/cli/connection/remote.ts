/** The service behind a server's `/v1` API. */

import { messageResponse } from '../../contract/common.ts';
import { keysResponse, newKeyResponse } from '../../contract/keys.ts';
import { tenantResponse, tenantComponents } from '../../contract/tenant.ts';
import { reportResponse, usageComponents } from '../../contract/usage.ts';
import { ForensicsError } from '../../errors.ts';
import { type Api, wholeAnswer } from '../client/api.ts';
import { usageError } from '../errors.ts';
import type { Service } from './local.ts';

export function createRemoteService(api: Api): Service {
  return {
    keys: createKeyActs(api),
    tenants: createTenantActs(api),
  };
}

function createKeyActs(api: Api): Service['keys'] {
  const path = '/v1/auth/api';
  const create = async (body: object) =>
    (await api.request({ method: 'POST', path, body }, newKeyResponse)).data;

  return {
    async list(tenantName, bySecret) {
      const request = { method: 'GET', path, query: { tenantName }, ...withKey(bySecret) } as const;
      return (await api.request(request, keysResponse)).data;
    },
    create: ({ tenant: tenantName, ...key }) => create({ tenantName, ...key }),
    async rotate({ tenant: tenantName, which: replaces, expiresAt, graceMs }) {
      const graceSeconds = Math.floor(graceMs / 1000);
      const created = await create({ tenantName, replaces, expiresAt, graceSeconds });
      const { replaced, earlier = [], ...key } = created;
      if (replaced !== undefined) return { key, replaced, earlier };
      throw new ForensicsError(
        'server_unexpected',
        'The server did not say which key it replaced.',
      );
    },
    async revoke({ tenant: tenantName, uuid, bySecret }) {
      const query = { tenantName, uuid };
      await api.request({ method: 'DELETE', path, query, ...withKey(bySecret) }, messageResponse);
    },
  };
}

function withKey(secret: string | undefined) {
  return secret === undefined ? {} : { authorization: `ApiKey ${secret}` };
}

const wholeTenant = wholeAnswer(tenantResponse, tenantComponents);
const wholeReport = wholeAnswer(reportResponse, usageComponents);

function createTenantActs(api: Api): Service['tenants'] {
  const path = '/v1/tenant';
  return {
    async names() {
      throw usageError('An API key cannot list its tenants; name one with --tenant.');
    },
    read: async (tenantName) =>
      (await api.request({ method: 'GET', path, query: { tenantName } }, wholeTenant)).data,
    async change(tenantName, change) {
      const body = { tenantName, ...change };
      return (await api.request({ method: 'PUT', path, body }, wholeTenant)).data;
    },
    async report(tenantName, report) {
      const query = { tenantName, ...report };
      return (await api.request({ method: 'GET', path: `${path}/report`, query }, wholeReport))
        .data;
    },
  };
}
