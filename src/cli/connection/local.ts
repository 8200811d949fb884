/** Acts of administration on the data folder of this machine, whether a server runs on it or not. */

import { actorOf } from '../../service/access/principal.ts';
import type { User } from '../../service/access/users.ts';
import {
  type Core,
  hasInstallation,
  keptTenantNamed,
  openCore,
  tenantNamed,
} from '../../service/core.ts';
import { operator } from '../../service/audit/entry.ts';
import { readConfig, type Settings } from '../../contract/config.ts';
import { ForensicsError } from '../../errors.ts';
import type { Tenancy } from '../../service/tenants/tenancy.ts';
import { usageError } from '../errors.ts';
import type { LocalOptions } from '../options.ts';
import { log } from '../output/terminal.ts';
import type { KeyActs, Service, SettingsActs, TenantActs } from './service.ts';

/**
 * Opens the data folder for one act and closes it again, also when the act fails.
 *
 * @throws {ForensicsError} `not_found` when nothing was set up there.
 */
export async function withLocalCore<T>(
  options: LocalOptions,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  return withCore(installedSettings(options), act);
}

/** The same for the one act that may be the first in a data folder. */
export async function withNewCore<T>(
  options: LocalOptions,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  return withCore(settingsFor(options), act);
}

/** @throws {ForensicsError} `not_found` when nothing was set up in the data folder. */
export function installedSettings(options: LocalOptions): Settings {
  const settings = settingsFor(options);
  if (hasInstallation(settings)) return settings;
  throw new ForensicsError(
    'not_found',
    'Nothing was set up in this data folder; name another with --data-dir, or begin with "forensics serve".',
  );
}

export function settingsFor(options: LocalOptions & { readonly publicUrl?: string }): Settings {
  const { dataDir, publicUrl, config } = options;
  const { settings } = readConfig({
    flags: { dataDir, publicUrl },
    ...(config === undefined ? {} : { configFile: config }),
  });
  log(`Acting on the data folder ${settings.dataDir}`);
  return settings;
}

async function withCore<T>(
  settings: Settings,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  const core = await openCore(settings);
  logOpening(core.database);
  try {
    return await act(core, settings);
  } finally {
    await core.close();
  }
}

/** The upgrade is automatic, so log it: the copy is the only way back to the earlier version. */
export function logOpening(
  { upgrade }: Pick<Core['database'], 'upgrade'>,
  note: (text: string) => void = log,
): void {
  if (upgrade === null) return;
  const { from, to, copy } = upgrade;
  const kept = copy === null ? '' : `; a copy as it was before lies in ${copy}`;
  note(`The database was brought from schema ${from} to ${to}${kept}`);
}

/** The service on the data folder of this machine. The operator acts; a server may be running on the folder or not. */
export function createLocalService(core: Core, settings: Settings): Service {
  return {
    keys: createKeyActs(core),
    tenants: createTenantActs(core, settings),
    settings: createSettingsActs(core),
  };
}

function createKeyActs(core: Core): KeyActs {
  const { keys } = core;
  const idOf = async (name: string) => (await tenantNamed(core, name)).id;
  return {
    list: async (tenant) => keys.list(await idOf(tenant)),
    create: async ({ tenant, ...wish }) =>
      keys.mint({ tenantId: await idOf(tenant), ...wish, by: operator }),
    rotate: async ({ tenant, ...wish }) =>
      keys.rotate({ tenantId: await idOf(tenant), ...wish, by: operator }),
    async prove({ tenant, secret }) {
      const { tenantIds } = await keys.authenticate(secret);
      if (tenantIds.includes(await idOf(tenant))) return;
      throw new ForensicsError('forbidden', `The key does not belong to tenant "${tenant}".`);
    },
    async revoke({ tenant, uuid, bySecret }) {
      const by = bySecret === undefined ? operator : actorOf(await keys.authenticate(bySecret));
      await keys.revoke({ tenantId: await idOf(tenant), uuid, by });
    },
    prune: async ({ tenant, uuids }) =>
      keys.prune({ tenantId: await idOf(tenant), uuids, by: operator }),
  };
}

function createTenantActs(core: Core, settings: Settings): TenantActs {
  return {
    names: async () => {
      const all = [...(await core.tenants.list()), ...(await core.tenants.listDeleted())];
      return all.map(({ name }) => name);
    },
    async read(name) {
      const tenant = await tenantNamed(core, name);
      return (await openTenancyOf(core, settings)).read(tenant);
    },
    async change(name, request) {
      const tenant = await tenantNamed(core, name);
      const tenancy = await openTenancyOf(core, settings);
      const answer = await tenancy.change(tenant, request, operator);
      if (request.webhookUrl != null) await warnAboutWebhook(request.webhookUrl, settings);
      return answer;
    },
    report: async (name, query) => core.usage.report(await keptTenantNamed(core, name), query),
  };
}

function createSettingsActs(core: Core): SettingsActs {
  return {
    async change(who, change) {
      if (who === null) throw usageError('Name an account by its address or id.');
      const { id } = await userNamed(core, who);
      return core.userSettings.change(id, change);
    },
  };
}

const now = () => new Date();

/** Loaded where it is used: clients for S3 and Azure are slow to load. */
async function openTenancyOf(core: Core, settings: Settings): Promise<Tenancy> {
  const { openTenancy } = await import('../../service/tenants/tenant-storage.ts');
  const { openTenantStorage } = await import('../../service/tenants/tenant-storage.ts');
  const storage = openTenantStorage({ settings, core, now, onError: raise });
  return openTenancy({ core, storage, webhookGuard: null, now });
}

/** No refusal: the server may run under other settings than this command. */
async function warnAboutWebhook(webhookUrl: string, settings: Settings): Promise<void> {
  const { createWebhookGuard } = await import('../../service/tenants/tenant-storage.ts');
  const { complaintAbout } = await import('../../service/tenants/tenancy.ts');
  const complaint = complaintAbout(webhookUrl, createWebhookGuard(settings));
  if (complaint !== null) log(`Warning, by the settings of this command: ${complaint}`);
}

function raise(error: unknown): never {
  throw error;
}

/** An account as the command line prints it. */
export interface ShownUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
  readonly tenants: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly issuer: string | null;
  readonly createdDate: string;
  readonly lastLoginDate: string | null;
}

/** @param who - an address, or an id: accounts of an identity provider have only that. @throws {ForensicsError} `not_found`. */
export async function userNamed({ users }: Core, who: string): Promise<User> {
  const user = (await users.byEmail(who)) ?? (await users.byId(who));
  if (user !== null) return user;
  throw new ForensicsError(
    'not_found',
    `There is no account "${who}"; "forensics user list" shows those that exist.`,
  );
}

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantIdsNamed(core: Core, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => tenantNamed(core, name)));
  return found.map(({ id }) => id);
}

export async function shownUser({ tenants }: Core, user: User): Promise<ShownUser> {
  const found = await Promise.all(user.tenantIds.map((id) => tenants.byId(id)));
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    userType: user.userType,
    scopes: user.scopes,
    tenants: found.flatMap((tenant) => tenant?.name ?? []).toSorted(),
    state: user.disabledAt === null ? 'enabled' : 'disabled',
    issuer: user.issuer,
    createdDate: user.createdAt.toISOString(),
    lastLoginDate: user.lastLoginAt?.toISOString() ?? null,
  };
}
