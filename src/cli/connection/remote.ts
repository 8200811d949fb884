/** The API keys of a server, through its `/v1` API. */

import { messageResponse } from '../../contract/common.ts';
import { keysResponse, newKeyResponse } from '../../contract/keys.ts';
import { ForensicsError } from '../../errors.ts';
import type { Api } from '../client/api.ts';
import type { KeyActs } from './local.ts';

export function createRemoteKeys(api: Api): KeyActs {
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
