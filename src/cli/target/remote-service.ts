/** The service behind `/v1` of a server: who asks is the key or the login that the request is sent with. */

import { type Api, wholeAnswer } from '../../client/api.ts';
import { infoAnswer, settingsAnswer } from '../../contract/auth.ts';
import { succeeded, told } from '../../contract/common.ts';
import { keysAnswer, newKeyAnswer } from '../../contract/keys.ts';
import { tenantAnswer, tenantComponents } from '../../contract/tenant.ts';
import { reportAnswer, usageComponents } from '../../contract/usage.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import type { KeyActs, RevocationWish, Service, SettingsActs, TenantActs } from './service.ts';

export function createRemoteService(api: Api): Service {
  return {
    keys: createKeyActs(api),
    tenants: createTenantActs(api),
    settings: createSettingsActs(api),
  };
}

const keysPath = '/v1/auth/api';

function createKeyActs(api: Api): KeyActs {
  const list = async (tenantName: string, secret?: string) => {
    const asked = { method: 'GET', path: keysPath, query: { tenantName } } as const;
    return (await api.ask({ ...asked, ...asKey(secret) }, keysAnswer)).data;
  };
  const make = async (body: object) =>
    (await api.ask({ method: 'POST', path: keysPath, body }, newKeyAnswer)).data;
  const revoke = async ({ tenant: tenantName, uuid, bySecret }: RevocationWish) => {
    const asked = { method: 'DELETE', path: keysPath, query: { tenantName, uuid } } as const;
    await api.ask({ ...asked, ...asKey(bySecret) }, told);
  };
  return {
    list: async (tenant) => list(tenant),
    create: async ({ tenant: tenantName, ...wish }) => make({ tenantName, ...wish }),
    async rotate({ tenant: tenantName, which: replaces, expiresAt, graceMs }) {
      const graceSeconds = Math.floor(graceMs / 1000);
      const made = await make({ tenantName, replaces, expiresAt, graceSeconds });
      const { replaced, earlier = [], ...key } = made;
      if (replaced !== undefined) return { key, replaced, earlier };
      throw new ForensicsError('server_unexpected', 'The server does not say what it replaced.');
    },
    prove: async ({ tenant, secret }) => void (await list(tenant, secret)),
    revoke,
    async prune({ tenant, uuids }) {
      const named = new Set(uuids);
      // What has ended never lives again, so that nothing alive can be hit between the look and the act.
      const ended = (await list(tenant)).filter((key) => key.ended !== null && named.has(key.uuid));
      for (const { uuid } of ended) {
        // oxlint-disable-next-line no-await-in-loop -- one request after the other, as the server counts them
        await revoke({ tenant, uuid }).catch(unlessGone);
      }
      return ended;
    },
  };
}

/** In the place of who asks otherwise. */
function asKey(apiKey: string | undefined) {
  return apiKey === undefined ? {} : { authorization: `ApiKey ${apiKey}` };
}

/** Somebody else was faster. */
function unlessGone(error: unknown): void {
  if (error instanceof ForensicsError && error.code === 'not_found') return;
  throw error;
}

const wholeTenant = wholeAnswer(tenantAnswer, tenantComponents);
const wholeReport = wholeAnswer(reportAnswer, usageComponents);

function createTenantActs(api: Api): TenantActs {
  return {
    async names() {
      try {
        const { data } = await api.ask({ method: 'POST', path: '/v1/auth/info' }, infoAnswer);
        return data.tenants;
      } catch (error) {
        if (!(error instanceof ForensicsError) || error.code !== 'forbidden') throw error;
        throw usageError('Name the tenant with --tenant: an API key does not tell whose it is.');
      }
    },
    async read(tenantName) {
      const asked = { method: 'GET', path: '/v1/tenant', query: { tenantName } } as const;
      return (await api.ask(asked, wholeTenant)).data;
    },
    async change(tenantName, request) {
      const asked = {
        method: 'PUT',
        path: '/v1/tenant',
        body: { tenantName, ...request },
      } as const;
      return (await api.ask(asked, wholeTenant)).data;
    },
    async report(tenantName, report) {
      const query = { tenantName, ...report };
      const asked = { method: 'GET', path: '/v1/tenant/report', query } as const;
      return (await api.ask(asked, wholeReport)).data;
    },
  };
}

function createSettingsActs(api: Api): SettingsActs {
  const path = '/v1/user/settings';
  return {
    async change(who, body) {
      if (who !== null) {
        throw usageError(
          'A server shows and changes the settings of whoever is logged in; leave the account out. Those of others are changed on its own machine.',
        );
      }
      if (Object.keys(body).length > 0) {
        await api.ask({ method: 'PUT', path, body }, succeeded);
      }
      return (await api.ask({ method: 'GET', path }, settingsAnswer)).data;
    },
  };
}
