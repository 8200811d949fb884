/** Checks the tenants' stores and says how to fix each failure. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Tenant } from '../../service/tenants/tenants.ts';
import type { Core } from '../../service/core.ts';
import { type Blobs, openBlobs, uploadOrigins } from '../../service/storage.ts';
import type { Settings } from '../../contract/config.ts';
import { isServed } from '../../ports/data-folder/data-folder.ts';
import type { StorageConfig } from '../../ports/storage/configs.ts';
import { diagnose, type Diagnosis, messageOf } from './installation.ts';
import { checkStore, createVisitor, type StoreToCheck } from './store.ts';

export interface StoresToCheck {
  readonly settings: Settings;
  readonly core: Core;
  readonly publicUrl: URL;
  /** Null for all tenants. Tenants on the service's own store share it, so only the first is checked. */
  readonly tenant: Tenant | null;
  readonly now: () => Date;
}

type Target = Omit<StoreToCheck, 'tenant' | 'now'>;

export async function checkStores(parts: StoresToCheck): Promise<readonly Diagnosis[]> {
  const { settings, core, publicUrl, tenant, now } = parts;
  // Errors are ignored here because the check reports them.
  const blobs = openBlobs({ settings, core, now, onError: () => undefined });
  blobs.setPublicUrl(publicUrl);
  const all = tenant === null ? await core.tenants.list() : [tenant];
  const first = all.find(({ storageConfigId }) => storageConfigId === null);
  const toCheck = all.filter((each) => each === first || each.storageConfigId !== null);
  const found = await Promise.all(toCheck.map((each) => checkOne(parts, blobs, each)));
  return found.flat();
}

async function checkOne(parts: StoresToCheck, blobs: Blobs, tenant: Tenant) {
  const { name, storageConfigId } = tenant;
  const fix =
    storageConfigId === null
      ? 'Correct the file specified by the defaultStorage setting.'
      : `Correct the configuration: forensics tenant update ${name} --storage-config FILE`;
  try {
    const target = await findTarget(parts, blobs, tenant, fix);
    return await checkStore({ ...target, tenant: name, now: parts.now });
  } catch (error) {
    return [diagnose('store', name).failed(messageOf(error), fix)];
  }
}

/** @param fix - what to do when a remote store rejects our credentials. */
async function findTarget(
  parts: StoresToCheck,
  blobs: Blobs,
  tenant: Tenant,
  fix: string,
): Promise<Target> {
  const { settings, core } = parts;
  const { id: tenantId, storageConfigId: id } = tenant;
  const { configs, openRemote, shared, guard } = blobs.storage;
  if (id === null) {
    if (shared === null) return embeddedTarget(parts, blobs, tenantId);
    // The administrator chose the address, so any address is allowed.
    const visit = createVisitor({});
    return { ...remoteTarget(settings, shared.config, fix), store: shared.store, visit };
  }
  const row = await configs.find(core.database.db, { tenantId, id });
  if (row === null) throw new TypeError('The configuration does not belong to the tenant.');
  const config = configs.open(row);
  const target = remoteTarget(settings, config, fix, row.corsWarning);
  return { ...target, store: openRemote(config), visit: createVisitor({ guard }) };
}

async function embeddedTarget(
  { settings, publicUrl }: StoresToCheck,
  { stores }: Blobs,
  tenantId: string,
): Promise<Target> {
  // The certificate authority that "forensics serve" created.
  const authority = join(settings.dataDir, 'tls', 'ca.pem');
  const own = existsSync(authority) ? [readFileSync(authority, 'utf8')] : [];
  return {
    store: await stores.of({ tenantId, storageConfigId: null }),
    visit: createVisitor({ ca: [...getCACertificates('default'), ...own].join('\n') }),
    // The server's own pages are same-origin and need no CORS.
    origins: settings.corsAllowedOrigins,
    fixes: {
      access:
        'Free space on the disk, mount it for writing, and run the server as the user who owns the data folder.',
      presigned: `Check that ${publicUrl.origin} (publicUrl) leads to this server and that no proxy changes the path.`,
      cors: 'Restart the server with the current corsAllowedOrigins. Any proxy in front of it must pass OPTIONS through.',
    },
    unreached: isServed(settings.dataDir)
      ? {
          message: `Not checked: a server is using this data folder, but not at ${publicUrl.origin}.`,
          fix: 'Give its address with --public-url, as when it was started.',
        }
      : {
          message: `Not checked: no server on this machine is using the data folder, and none answers at ${publicUrl.origin}.`,
          fix: 'Start "forensics serve". If the server runs elsewhere, give its address with --public-url.',
        },
  };
}

function remoteTarget(
  settings: Settings,
  config: StorageConfig,
  access: string,
  corsWarning: string | null = null,
): Omit<Target, 'store' | 'visit'> {
  const isInternal = (config.shared?.internal ?? null) !== null;
  const own = config.type === 's3' ? config.s3.corsAllowedOrigins : null;
  const where = config.type === 's3' ? 'bucket' : 'storage account';
  const said = corsWarning === null ? '' : ` The store said: ${corsWarning}`;
  return {
    origins: own ?? uploadOrigins(settings),
    fixes: {
      access,
      presigned:
        'Allow the credentials to put, get and delete objects, and configure the endpoint that clients use.',
      cors: `Add a CORS rule to the ${where} that allows these origins GET, HEAD, PUT, DELETE and all headers.${said}`,
    },
    unreached: isInternal
      ? {
          message: 'Not checked: the address for clients cannot be reached from this machine.',
          fix: 'Test an upload from a client machine.',
        }
      : null,
  };
}
