/** The stores of tenants, each with what a failure there calls for. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Tenant } from '../../access/tenants.ts';
import type { StorageConfig } from '../../blobs/storage-config.ts';
import type { Settings } from '../../config.ts';
import { type Blobs, openBlobs } from '../blobs.ts';
import type { Core } from '../core.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { checkStore, type StoreToCheck } from './store.ts';
import { createVisitor } from './visit.ts';

export interface StoresToCheck {
  readonly settings: Settings;
  readonly core: Core;
  /** Where clients reach the server. */
  readonly publicUrl: URL;
  /** Null for all tenants: of those that share the service's own store, the first stands for all. */
  readonly tenant: Tenant | null;
  readonly now: () => Date;
}

type Target = Omit<StoreToCheck, 'tenant' | 'now'>;

export async function checkStores(parts: StoresToCheck): Promise<readonly Diagnosis[]> {
  const { settings, core, publicUrl, tenant, now } = parts;
  // What would be told here fails in the check itself as well.
  const blobs = openBlobs({ settings, core, now, onError: () => undefined });
  blobs.setPublicUrl(publicUrl);
  const all = tenant === null ? await core.tenants.list() : [tenant];
  const first = all.find(({ storageConfigId }) => storageConfigId === null);
  const asked = all.filter((each) => each === first || each.storageConfigId !== null);
  const found = await Promise.all(asked.map((each) => checkOne(parts, blobs, each)));
  return found.flat();
}

async function checkOne(
  parts: StoresToCheck,
  blobs: Blobs,
  tenant: Tenant,
): Promise<readonly Diagnosis[]> {
  const { name, storageConfigId } = tenant;
  const fix =
    storageConfigId === null
      ? 'Correct the file of the setting defaultStorage.'
      : `Correct the configuration: forensics tenant update ${name} --storage-config FILE`;
  try {
    const target = targetOf(parts, blobs, { tenant, fix });
    return await checkStore({ ...target, tenant: name, now: parts.now });
  } catch (error) {
    return [diagnose('store', name).failed(messageOf(error), fix)];
  }
}

interface Asked {
  readonly tenant: Tenant;
  /** What to do about a remote store that lets nobody in. */
  readonly fix: string;
}

/** @throws {ForensicsError} `store_unavailable` for a configuration that does not open. */
function targetOf(parts: StoresToCheck, blobs: Blobs, { tenant, fix }: Asked): Target {
  const { settings, core } = parts;
  const { id: tenantId, storageConfigId: id } = tenant;
  const { configs, openRemote, shared, guard } = blobs.storage;
  if (id === null) {
    if (shared === null) return embeddedTarget(parts, blobs, tenantId);
    // Chosen by the administrator: it may lie anywhere.
    const visit = createVisitor({});
    return { ...remoteTarget(settings, shared.config, fix), store: shared.store, visit };
  }
  const row = configs.find(core.database.db, { tenantId, id });
  if (row === null) throw new TypeError('the configuration is not one of the tenant');
  const config = configs.open(row);
  const target = remoteTarget(settings, config, fix, row.corsWarning);
  return { ...target, store: openRemote(config), visit: createVisitor({ guard }) };
}

function embeddedTarget(
  { settings, publicUrl }: StoresToCheck,
  { stores }: Blobs,
  tenantId: string,
): Target {
  return {
    store: stores.of({ tenantId, storageConfigId: null }),
    visit: createVisitor({ ca: authoritiesWith(join(settings.dataDir, 'tls', 'ca.pem')) }),
    origins: settings.corsAllowedOrigins,
    fixes: {
      access: 'Make room on the disk, and run as the user who owns the data folder.',
      presigned: `See that ${publicUrl.origin} leads to this server as clients use it, with host and path unchanged (publicUrl).`,
      cors: 'Restart the server with the present corsAllowedOrigins; a proxy before it must let OPTIONS through.',
    },
    unreached: {
      message: `Not checked: the server is not running, or not reached at ${publicUrl.origin} from here.`,
      fix: 'Start "forensics serve"; when it answers elsewhere, name that with --public-url.',
    },
  };
}

/** Those that this program trusts anyhow, and the data folder's own. */
function authoritiesWith(file: string): string {
  const own = existsSync(file) ? [readFileSync(file, 'utf8')] : [];
  return [...getCACertificates('default'), ...own].join('\n');
}

const onlyInside = {
  message: 'Not checked: the address for clients is not reached from this machine.',
  fix: 'Upload from a machine of a client.',
};

function remoteTarget(
  { corsAllowedOrigins }: Pick<Settings, 'corsAllowedOrigins'>,
  config: StorageConfig,
  access: string,
  corsWarning: string | null = null,
): Omit<Target, 'store' | 'visit'> {
  const internal = config.shared?.internal ?? null;
  const own = config.type === 's3' ? config.s3.corsAllowedOrigins : null;
  const where = config.type === 's3' ? 'bucket' : 'storage account';
  const said = corsWarning === null ? '' : ` The store said: ${corsWarning}`;
  return {
    origins: own ?? corsAllowedOrigins,
    fixes: {
      access,
      presigned:
        'Let the credentials put, get and delete objects; name the endpoint as clients reach it.',
      cors: `Give the ${where} a CORS rule for these origins: GET, HEAD, PUT, DELETE, and all headers.${said}`,
    },
    unreached: internal === null ? null : onlyInside,
  };
}
