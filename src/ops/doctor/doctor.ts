/** Checks everything an installation needs, the way the service uses it. Changes nothing and leaves nothing behind. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { type Core, hasInstallation, openCore, tenantNamed } from '../../service/core.ts';
import { type Blobs, openBlobs, uploadOrigins } from '../../service/storage.ts';
import type { Tenant } from '../../service/tenants/tenants.ts';
import { hasCode } from '../../contract/errors.ts';
import type { Settings } from '../../contract/config.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { isServed } from '../../ports/data-folder/serve-lock.ts';
import { isSqlite } from '../../ports/db/sqlite.ts';
import type { StorageConfig } from '../../ports/storage/configs.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import {
  diagnose,
  type Diagnosis,
  fixFor,
  messageOf,
  checkAccess,
  checkCertificate,
  checkDatabase,
  checkModels,
  checkPostgres,
  checkRights,
  judgeSpace,
  measureSpace,
} from './installation.ts';
import { examineShipped, judgeReadings, readGolden, reinstall } from './self-test.ts';
import { checkStore, createVisitor, type StoreToCheck } from './store.ts';
import { findLastFailure, judgeWebhook } from './webhooks.ts';

interface Examination {
  readonly settings: Settings;
  /** Null for every tenant. */
  readonly tenantName: string | null;
  readonly publicUrl: URL;
  readonly isQuick: boolean;
  readonly now: () => Date;
  readonly onSlow: (what: string) => void;
}

/** @returns the diagnoses, in the order in which to fix them. @throws {ForensicsError} `tenant_not_found`. */
export async function examineInstallation(request: Examination): Promise<readonly Diagnosis[]> {
  const { settings, now } = request;
  const program = await examineProgram(request);
  const { failed } = diagnose('data folder');
  const refused = await checkAccess(settings.dataDir);
  if (refused !== null) return [...program, refused];
  try {
    if (!hasInstallation(settings)) {
      const fix = 'Start "forensics serve", or choose another folder with --data-dir.';
      return [...program, failed('The data folder is not set up yet.', fix)];
    }
  } catch (error) {
    return [...program, failed(messageOf(error), fixFor(error))];
  }
  const { dataDir, maxUploadBytes } = settings;
  return [
    ...program,
    checkRights(dataDir),
    judgeSpace(await measureSpace(dataDir), maxUploadBytes),
    checkCertificate(settings, now()),
    ...(await examineInside(request)),
  ];
}

async function examineProgram({ settings, isQuick, onSlow }: Examination) {
  const modelsDir = modelsFolder(settings);
  const models = await checkModels(modelsDir);
  // With a damaged model, the self-test would only fail again.
  if (isQuick || models.state === 'failed') return [models];
  onSlow('Examining two synthetic pictures');
  try {
    const found = await examineShipped(modelsDir);
    return [models, judgeReadings(found, await readGolden(found.examination.model.id))];
  } catch (error) {
    return [models, diagnose('self-test').failed(messageOf(error), reinstall)];
  }
}

async function examineInside(request: Examination): Promise<readonly Diagnosis[]> {
  const { settings, tenantName, now, onSlow } = request;
  let core: Core;
  try {
    core = await openCore(settings, now);
  } catch (error) {
    const isSilent = hasCode(error, 'store_unavailable');
    const ofPostgres = isSilent
      ? 'Check databaseUrl, and that PostgreSQL is running: pg_isready'
      : 'Correct that, then run "forensics doctor" again.';
    const fix = settings.databaseUrl === null ? fixFor(error) : ofPostgres;
    return [diagnose('database').failed(messageOf(error), fix)];
  }
  try {
    onSlow('Reading the database');
    const { db } = core.database;
    const database = isSqlite(db) ? checkDatabase(db) : await checkPostgres(db);
    if (database.state === 'failed') return [database];
    const tenants =
      tenantName === null ? await core.tenants.list() : [await tenantNamed(core, tenantName)];
    onSlow('Checking the stores');
    const webhooks = tenants
      .filter(({ webhookUrl }) => webhookUrl !== null)
      .map(async (each) => judgeWebhook(each, await findLastFailure(db, each.id)));
    // If the default store is misconfigured, the others cannot be checked.
    const stores = await checkStores({ ...request, core, tenants }).catch((error: unknown) => [
      diagnose('store').failed(messageOf(error), fixFor(error)),
    ]);
    return [database, ...stores, ...(await Promise.all(webhooks))];
  } finally {
    await core.close();
  }
}

interface StoresToCheck extends Pick<Examination, 'settings' | 'publicUrl' | 'now'> {
  readonly core: Core;
  readonly tenants: readonly Tenant[];
}

type Target = Omit<StoreToCheck, 'tenant' | 'now'>;

/** Checks the tenants' stores and says how to fix each failure. The service's own store is checked once. */
async function checkStores(parts: StoresToCheck): Promise<readonly Diagnosis[]> {
  const { settings, core, publicUrl, tenants, now } = parts;
  // Errors are ignored here because the check reports them.
  const blobs = openBlobs({ settings, core, now, onError: () => undefined });
  blobs.setPublicUrl(publicUrl);
  const first = tenants.find(({ storageConfigId }) => storageConfigId === null);
  const toCheck = tenants.filter((each) => each === first || each.storageConfigId !== null);
  const found = await Promise.all(toCheck.map((each) => checkOne(parts, blobs, each)));
  return found.flat();
}

async function checkOne(parts: StoresToCheck, blobs: Blobs, tenant: Tenant) {
  const { name, id: tenantId, storageConfigId: id } = tenant;
  const { settings, core, now } = parts;
  const { configs, openRemote, shared, guard } = blobs.storage;
  const check = (target: Target) => checkStore({ ...target, tenant: name, now });
  // What to do when a remote store rejects our credentials.
  const fix =
    id === null
      ? 'Correct the file specified by the defaultStorage setting.'
      : `Correct the configuration: forensics tenant update ${name} --storage-config FILE`;
  try {
    if (id === null) {
      if (shared === null) {
        const store = await blobs.stores.of({ tenantId, storageConfigId: null });
        return await check(embeddedTarget(parts, store));
      }
      // The administrator chose the address, so any address is allowed.
      const visit = createVisitor({});
      const target = remoteTarget(settings, shared.config, fix);
      return await check({ ...target, store: shared.store, visit });
    }
    const row = await configs.find(core.database.db, { tenantId, id });
    if (row === null) throw new TypeError('The configuration does not belong to the tenant.');
    const config = configs.open(row);
    const target = remoteTarget(settings, config, fix, row.corsWarning);
    return await check({ ...target, store: openRemote(config), visit: createVisitor({ guard }) });
  } catch (error) {
    return [diagnose('store', name).failed(messageOf(error), fix)];
  }
}

function embeddedTarget({ settings, publicUrl }: StoresToCheck, store: BlobStore): Target {
  // The certificate authority that "forensics serve" created.
  const authority = join(settings.dataDir, 'tls', 'ca.pem');
  const own = existsSync(authority) ? [readFileSync(authority, 'utf8')] : [];
  return {
    store,
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
