/** Works on the data folder of this machine, whether or not a server is running on it. */

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
import type { Tenancy, TenantRequest } from '../../service/tenants/tenancy.ts';
import type { FolderOptions } from '../options.ts';
import { log } from '../output/terminal.ts';
import type { KeyEntry, KeySelector } from '../../contract/keys.ts';
import type { TenantResponse } from '../../contract/tenant.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import type { Rotated } from '../../service/access/keys.ts';

/**
 * Opens the data folder for one action and closes it again, even when the action fails.
 *
 * @throws {ForensicsError} `not_found` if nothing was set up there.
 */
export async function withLocalCore<T>(
  options: FolderOptions,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  return withCore(installedSettings(options), act);
}

/** @throws {ForensicsError} `not_found` if nothing was set up in the data folder. */
export function installedSettings(options: FolderOptions): Settings {
  const settings = settingsFor(options);
  if (hasInstallation(settings)) return settings;
  throw new ForensicsError(
    'not_found',
    'This data folder is not set up; choose another with --data-dir, or set it up with "forensics serve".',
  );
}

export function settingsFor(options: FolderOptions & { readonly publicUrl?: string }): Settings {
  const { dataDir, publicUrl, config } = options;
  const { settings } = readConfig({ flags: { dataDir, publicUrl }, configFile: config });
  log(`Acting on the data folder ${settings.dataDir}`);
  return settings;
}

/** Does the same with settings already read; the data folder may be new. */
export async function withCore<T>(
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

/** Logs the automatic upgrade, because the copy is the only way to go back to the earlier version. */
export function logOpening(
  { upgrade }: Pick<Core['database'], 'upgrade'>,
  note: (text: string) => void = log,
): void {
  if (upgrade === null) return;
  const { from, to, copy } = upgrade;
  const kept = copy === null ? '' : `; a copy of the old one is in ${copy}`;
  note(`The database was upgraded from schema ${from} to ${to}${kept}`);
}

/** The service on this machine's data folder, where the operator acts. */
export function createLocalService(core: Core, settings: Settings): Service {
  return {
    keys: createKeyActs(core),
    tenants: createTenantActs(core, settings),
  };
}

function createKeyActs(core: Core): KeyActs {
  const { keys } = core;
  const findTenantId = async (name: string) => (await tenantNamed(core, name)).id;
  /** The id of the tenant; `bySecret`, if given, must be one of its keys. */
  const openedBy = async (tenant: string, bySecret?: string) => {
    const tenantId = await findTenantId(tenant);
    if (bySecret === undefined) return tenantId;
    const principal = await keys.authenticate(bySecret);
    if (principal.tenantIds.includes(tenantId)) return tenantId;
    throw new ForensicsError('forbidden', `The key does not belong to tenant "${tenant}".`);
  };
  return {
    list: async (tenant, bySecret) => keys.list(await openedBy(tenant, bySecret)),
    create: async ({ tenant, ...key }) =>
      keys.mint({ tenantId: await findTenantId(tenant), ...key, by: operator }),
    rotate: async ({ tenant, ...rotation }) =>
      keys.rotate({ tenantId: await findTenantId(tenant), ...rotation, by: operator }),
    revoke: async ({ tenant, uuid, bySecret }) =>
      keys.revoke({ tenantId: await openedBy(tenant, bySecret), uuid, by: operator }),
    prune: async ({ tenant, uuids }) =>
      keys.prune({ tenantId: await findTenantId(tenant), uuids, by: operator }),
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
      return (await loadTenancy(core, settings)).read(tenant);
    },
    async change(name, request) {
      const tenant = await tenantNamed(core, name);
      const tenancy = await loadTenancy(core, settings);
      const answer = await tenancy.change(tenant, request, operator);
      if (request.webhookUrl != null) await warnAboutWebhook(request.webhookUrl, settings);
      return answer;
    },
    report: async (name, query) => core.usage.report(await keptTenantNamed(core, name), query),
  };
}

/** Loaded on demand, because clients for S3 and Azure are slow to load. */
async function loadTenancy(core: Core, settings: Settings): Promise<Tenancy> {
  const { openTenancy, openTenantStorage } = await import('../../service/storage.ts');
  const storage = openTenantStorage({ settings, core, now, onError: raise });
  return openTenancy({ core, storage, webhookGuard: null, now });
}

/** Only a warning, because the server's settings may differ from this command's. */
async function warnAboutWebhook(webhookUrl: string, settings: Settings): Promise<void> {
  const { createWebhookGuard } = await import('../../service/storage.ts');
  const { complaintAbout } = await import('../../service/tenants/tenancy.ts');
  const complaint = complaintAbout(webhookUrl, createWebhookGuard(settings));
  if (complaint !== null) log(`Warning, judging by this command's settings: ${complaint}`);
}

export const now = () => new Date();

/** For parts whose errors should end the command. */
export function raise(error: unknown): never {
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

/**
 * @param who - email address or id; accounts of an identity provider only have an id. @throws
 *   {ForensicsError} `not_found`.
 */
export async function userNamed({ users }: Core, who: string): Promise<User> {
  const named = await users.byEmail(who);
  if (named.length > 1) {
    throw new ForensicsError(
      'conflict',
      `${named.length} tenants have an account with this address; specify one by its id: ${named.map(({ id }) => id).join(', ')}.`,
    );
  }
  const user = named[0] ?? (await users.byId(who));
  if (user !== null) return user;
  throw new ForensicsError(
    'not_found',
    `There is no account "${who}"; "forensics user list" shows all accounts.`,
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

export interface Service {
  readonly keys: KeyActs;
  readonly tenants: TenantActs;
}

interface NewKey {
  readonly tenant: string;
  readonly name: string;
  readonly expiresAt: Date;
}

interface Rotation {
  readonly tenant: string;
  readonly which: KeySelector;
  /** When the new key expires. */
  readonly expiresAt: Date;
  readonly graceMs: number;
}

/** The errors of each method are documented at `Keys` in the access room; a server may also reject the caller. */
export interface KeyActs {
  /**
   * Newest first, masked.
   *
   * @param bySecret - the API key to authenticate with, instead of the usual credentials.
   * @throws {ForensicsError} when that key is not accepted for the tenant.
   */
  list(tenant: string, bySecret?: string): Promise<readonly KeyEntry[]>;
  /** Returns the key with its secret, which is never shown again. */
  create(key: NewKey): Promise<KeyEntry>;
  /** Returns the new key with its secret, which is never shown again. */
  rotate(rotation: Rotation): Promise<Rotated>;
  revoke(key: { tenant: string; uuid: string; bySecret?: string }): Promise<void>;
  /** Revokes those of the given keys that have ended. @returns the revoked keys. */
  prune(keys: { tenant: string; uuids: readonly string[] }): Promise<readonly KeyEntry[]>;
}

export interface TenantActs {
  /** Every tenant that the caller may see, ordered by name. @throws {ForensicsError} `usage` with an API key. */
  names(): Promise<readonly string[]>;
  read(tenant: string): Promise<TenantResponse>;
  change(tenant: string, request: TenantRequest): Promise<TenantResponse>;
  report(tenant: string, query: ReportQuery): Promise<UsageReport>;
}
