/** Works on the data folder of this machine, whether or not a server is running on it. */

import type { Keys } from '../../service/access/keys.ts';
import { type Core, hasInstallation, openCore, tenantNamed } from '../../service/core.ts';
import { operator } from '../../service/audit/entry.ts';
import { readConfig, type Settings } from '../../contract/config.ts';
import { ForensicsError, notFound } from '../../contract/errors.ts';
import type { Tenancy } from '../../service/tenants/tenancy.ts';
import type { FolderOptions } from '../options.ts';
import { log } from '../output/terminal.ts';

/** Closes the data folder even if `act` fails. @throws {ForensicsError} `not_found` if nothing was set up there. */
export async function withLocalCore<T>(options: FolderOptions, act: Act<T>): Promise<T> {
  return withCore(installedSettings(options), act);
}

type Act<T> = (core: Core, settings: Settings) => Promise<T>;

/** @throws {ForensicsError} `not_found` if nothing was set up in the data folder. */
export function installedSettings(options: FolderOptions): Settings {
  const settings = settingsFor(options);
  if (hasInstallation(settings)) return settings;
  throw notFound(
    'This data folder is not set up; choose another with --data-dir, or set it up with "forensics serve".',
  );
}

export function settingsFor(options: FolderOptions & { readonly publicUrl?: string }): Settings {
  const { dataDir, publicUrl, config } = options;
  const { settings } = readConfig({ flags: { dataDir, publicUrl }, configFile: config });
  log(`Acting on the data folder ${settings.dataDir}`);
  return settings;
}

/** Does the same as `withLocalCore` with settings that were already read; the data folder may be new. */
export async function withCore<T>(settings: Settings, act: Act<T>): Promise<T> {
  const core = await openCore(settings);
  logOpening(core.database);
  try {
    return await act(core, settings);
  } finally {
    await core.close();
  }
}

/** Logs the automatic upgrade and its copy of the database, which is the only way back to the earlier version. */
export function logOpening(
  { upgrade }: Pick<Core['database'], 'upgrade'>,
  note: (text: string) => void = log,
): void {
  if (upgrade === null) return;
  const { from, to, copy } = upgrade;
  const kept = copy === null ? '' : `; a copy of the old one is in ${copy}`;
  note(`The database was upgraded from schema ${from} to ${to}${kept}`);
}

/** The API keys of this machine, where the operator acts, or of a server, where the owner of a key acts. */
export type KeyActs = ReturnType<typeof createLocalKeys>;

type ForTenant<T> = Omit<T, 'tenantId' | 'by'> & { readonly tenant: string };

/** The errors of each method are documented at `Keys` in the access module; a server may also reject the caller. */
export function createLocalKeys(core: Core) {
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
    /**
     * The keys of a tenant, newest first and with masked secrets.
     *
     * @param bySecret - the API key to authenticate with, instead of the usual credentials.
     * @throws {ForensicsError} when that key is not accepted for the tenant.
     */
    list: async (tenant: string, bySecret?: string) => keys.list(await openedBy(tenant, bySecret)),
    /** Returns the key with its secret, which is never shown again. */
    create: async ({ tenant, ...key }: ForTenant<Parameters<Keys['mint']>[0]>) =>
      keys.mint({ tenantId: await findTenantId(tenant), ...key, by: operator }),
    rotate: async ({ tenant, ...rotation }: ForTenant<Parameters<Keys['rotate']>[0]>) =>
      keys.rotate({ tenantId: await findTenantId(tenant), ...rotation, by: operator }),
    revoke: async (which: { tenant: string; uuid: string; bySecret?: string }) => {
      const { tenant, uuid, bySecret } = which;
      await keys.revoke({ tenantId: await openedBy(tenant, bySecret), uuid, by: operator });
    },
  };
}

/** Loaded on demand, because the clients for S3 and Azure are slow to load. */
export async function loadTenancy(core: Core, settings: Settings): Promise<Tenancy> {
  const { openTenantStorage } = await import('../../service/storage.ts');
  const { createTenancy } = await import('../../service/tenants/tenancy.ts');
  const storage = openTenantStorage({ settings, core, now, onError: raise });
  const { database, keys } = core;
  return createTenancy({ ...storage, db: database.db, keys, webhookAllow: null, now });
}

/** This is only a warning, because the server's settings may differ from this command's. */
export async function warnAboutWebhook(webhookUrl: string, settings: Settings): Promise<void> {
  const { complaintAbout } = await import('../../service/tenants/tenancy.ts');
  const complaint = complaintAbout(webhookUrl, settings.webhookAllow);
  if (complaint !== null) log(`Warning, judging by this command's settings: ${complaint}`);
}

export const now = () => new Date();

/** Throws the error; for parts whose errors are to end the command. */
export function raise(error: unknown): never {
  throw error;
}
