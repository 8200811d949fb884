/**
 * What commands ask of a service, whichever stands behind: the data folder of this machine (`local.ts`), where the operator
 * acts, or a server, where the owner of the login or the API key acts. Both return the same values, those of the `/v1`
 * interface. Tenants are given by name.
 */

import type { Rotated } from '../../service/access/keys.ts';
import type { UserSettingsChange } from '../../service/access/user-facts.ts';
import { type Api, wholeAnswer } from '../client/api.ts';
import { infoAnswer, settingsAnswer, type UserSettings } from '../../contract/auth.ts';
import { succeeded, told } from '../../contract/common.ts';
import { type KeyEntry, keysAnswer, newKeyAnswer, type WhichKey } from '../../contract/keys.ts';
import { type TenantAnswer, tenantAnswer, tenantComponents } from '../../contract/tenant.ts';
import {
  reportAnswer,
  type ReportQuery,
  usageComponents,
  type UsageReport,
} from '../../contract/usage.ts';
import { ForensicsError } from '../../errors.ts';
import type { TenantRequest } from '../../service/tenants/tenancy.ts';
import { usageError } from '../errors.ts';
import { withApi } from './server.ts';
import { isRemote, type ServiceOptions } from '../options.ts';

export interface Service {
  readonly keys: KeyActs;
  readonly tenants: TenantActs;
  readonly settings: SettingsActs;
}

interface OfTenant {
  readonly tenant: string;
}

interface NewKeyWish extends OfTenant {
  readonly name: string;
  readonly expiresAt: Date;
}

interface RotationWish extends OfTenant {
  readonly which: WhichKey;
  /** End of the new key. */
  readonly expiresAt: Date;
  readonly graceMs: number;
}

interface KeyProof extends OfTenant {
  readonly secret: string;
}

interface RevocationWish extends OfTenant {
  readonly uuid: string;
  /** The key that revokes it, in the place of who asks otherwise. */
  readonly bySecret?: string;
}

interface PruneWish extends OfTenant {
  readonly uuids: readonly string[];
}

/** What each act refuses, `Keys` of the access room says; a server may also refuse who asks. */
export interface KeyActs {
  /** Newest first, masked. */
  list(tenant: string): Promise<readonly KeyEntry[]>;
  /** With its secret, this once. */
  create(wish: NewKeyWish): Promise<KeyEntry>;
  /** The new key with its secret, this once. */
  rotate(wish: RotationWish): Promise<Rotated>;
  /** Sends a request with that key. @throws {ForensicsError} when the server rejects it. */
  prove(proof: KeyProof): Promise<void>;
  revoke(wish: RevocationWish): Promise<void>;
  /** Of the named keys, revokes those that have ended. @returns what was revoked. */
  prune(wish: PruneWish): Promise<readonly KeyEntry[]>;
}

export interface TenantActs {
  /** Of every tenant that the caller may see, by name. @throws {ForensicsError} `usage` where only a tenant's name can tell. */
  names(): Promise<readonly string[]>;
  read(tenant: string): Promise<TenantAnswer>;
  change(tenant: string, request: TenantRequest): Promise<TenantAnswer>;
  report(tenant: string, query: ReportQuery): Promise<UsageReport>;
}

export interface SettingsActs {
  /**
   * Changes what is given, and answers all.
   *
   * @param who - address or id of an account; null for the person who is logged in to a server.
   * @throws {ForensicsError} `usage` for the one that this service does not offer.
   */
  change(who: string | null, change: UserSettingsChange): Promise<UserSettings>;
}

/**
 * The only function that chooses between this machine and a server. Opens the service for one act and closes it again,
 * also when the act fails. Only what is used is loaded.
 *
 * @throws {ForensicsError} what opening either of them throws.
 */
export async function withService<T>(
  options: ServiceOptions,
  act: (service: Service) => Promise<T>,
): Promise<T> {
  if (isRemote(options)) {
    return withApi(options, async (api) => act(createRemoteService(api)));
  }
  const { createLocalService, withLocalCore } = await import('./local.ts');
  return withLocalCore(options, async (core, settings) => act(createLocalService(core, settings)));
}

/** The service behind `/v1` of a server. The caller is the key or the login that the request carries. */
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

/** Another process was faster. */
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
        throw usageError(
          'Name the tenant with --tenant: the tenants of an API key cannot be looked up.',
        );
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
          'On a server you can only change your own settings; leave out the account. Change those of others on the machine of the server.',
        );
      }
      if (Object.keys(body).length > 0) {
        await api.ask({ method: 'PUT', path, body }, succeeded);
      }
      return (await api.ask({ method: 'GET', path }, settingsAnswer)).data;
    },
  };
}
