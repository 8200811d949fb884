/** The configurations of remote stores and clients for them, for the server and for administration. */

import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type { Settings } from '../../contract/config.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import type { Db } from '../../ports/db/database.ts';
import {
  type ConnectionGuard,
  createAddressGuard,
  createConnectionGuard,
} from '../../ports/network/address-guard.ts';
import { createAzureStore } from '../../ports/storage/azure/azure.ts';
import { type BucketCors, createBucketCors } from '../../ports/storage/bucket-cors.ts';
import { createSealedConfigs, type SealedConfigs } from '../../ports/storage/configs.ts';
import { createS3Store } from '../../ports/storage/s3/s3.ts';
import { createSharedStore, type SharedStore } from '../../ports/storage/shared-store.ts';
import type { SharedConfig } from '../../ports/storage/storage-config.ts';
import type { OpenRemoteStore } from '../../ports/storage/stores.ts';
import type { Core } from '../core.ts';
import { parseDefaultStorage } from './merge-storage.ts';
import { createTenancy, type Tenancy, type TenancyContext, type WebhookGuard } from './tenancy.ts';

export interface TenantStorage {
  readonly configs: SealedConfigs;
  readonly cors: BucketCors;
  readonly openRemote: OpenRemoteStore;
  /** Which addresses stores of tenants may have. */
  readonly guard: ConnectionGuard;
  /** The service's own store; null when that is the embedded one. */
  readonly shared: SharedStore | null;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
}

interface TenantStorageParts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'secrets' | 'database'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** @throws {ForensicsError} `config_invalid` for an invalid address range or an invalid default store. */
export function openTenantStorage({ settings, core, now, onError }: TenantStorageParts) {
  const { db } = core.database;
  const guard = createConnectionGuard(createAddressGuard(settings.storageAllow));
  const openRemote = remoteOpener(settings, guard);
  const configs = createSealedConfigs({ key: core.secrets.of('blobs/configs'), now });
  const shared = openShared({ settings, db, configs, openRemote });
  return {
    configs,
    cors: createBucketCors({ db, defaultOrigins: uploadOrigins(settings), now, onError }),
    openRemote,
    guard,
    shared,
    defaultType: shared?.config.type ?? 's3',
  } satisfies TenantStorage;
}

/** Origins whose pages may use presigned URLs: those of the setting, or else those of this server. */
export function uploadOrigins({
  corsAllowedOrigins,
  publicUrl,
  behindProxy,
  host,
  port,
}: Pick<
  Settings,
  'corsAllowedOrigins' | 'publicUrl' | 'behindProxy' | 'host' | 'port'
>): readonly string[] {
  if (corsAllowedOrigins.length > 0) return corsAllowedOrigins;
  // Behind a proxy no page is opened on our own port; port 0 is a different one each time.
  const hosts = behindProxy || port === 0 ? [] : [host, 'localhost', '127.0.0.1'];
  const own = hosts
    .filter((name) => !anyAddress.includes(name))
    .map((name) => new URL(`https://${isIPv6(name) ? `[${name}]` : name}:${port}`).origin);
  return [...new Set([...(publicUrl === null ? [] : [publicUrl]), ...own])];
}

const anyAddress = ['0.0.0.0', '::'];

function remoteOpener(settings: Settings, guard: ConnectionGuard): OpenRemoteStore {
  const { presignedUrlExpirySeconds: expirySeconds, maxUploadBytes: maxObjectBytes } = settings;
  return (config) => {
    // The administrator's own store may have any address, even on this machine.
    const limits = { maxObjectBytes, ...(config.shared === undefined ? { guard } : {}) };
    return config.type === 's3'
      ? createS3Store(config.s3, { ...limits, internal: config.shared?.internal ?? null })
      : createAzureStore(config.azure, { ...limits, expirySeconds });
  };
}

interface SharedParts extends Pick<TenantStorage, 'configs' | 'openRemote'> {
  readonly settings: Settings;
  readonly db: Db;
}

function openShared({ settings, db, configs, openRemote }: SharedParts): SharedStore | null {
  if (settings.defaultStorage === null) return null;
  const config = readDefaultStorage(settings.defaultStorage);
  return createSharedStore({ db, configs, config, store: openRemote(config) });
}

interface TenancyParts extends Pick<TenancyContext, 'webhookGuard' | 'now'> {
  readonly core: Pick<Core, 'database' | 'keys'>;
  readonly storage: TenantStorage;
}

/** Not part of the core: clients for S3 and Azure are slow to load, and few commands need them. */
export function openTenancy({ core, storage, webhookGuard, now }: TenancyParts): Tenancy {
  const { database, keys } = core;
  return createTenancy({ ...storage, db: database.db, keys, webhookGuard, now });
}

/** @throws {ForensicsError} `config_invalid` for an invalid address range. */
export function createWebhookGuard({ webhookAllow }: Pick<Settings, 'webhookAllow'>): WebhookGuard {
  return createConnectionGuard(createAddressGuard(webhookAllow));
}

// The file with the store of the whole service. It contains credentials, so no message quotes it.

/** @throws {ForensicsError} `config_invalid`; its message names the mistake. */
export function readDefaultStorage(file: string): SharedConfig {
  const value = parse(read(file));
  try {
    return parseDefaultStorage(value);
  } catch (error) {
    if (error instanceof ForensicsError) throw invalid(`cannot be used: ${error.message}`, error);
    throw error;
  }
}

interface ProofParts {
  readonly shared: Pick<SharedStore, 'prove'>;
  readonly onError: (error: unknown) => void;
}

/**
 * To be called before the first request. A store that refuses the service stops the start, because only people can fix that.
 * One that is down or full is reported to `onError`: after a power cut it may start later than the service, and the database
 * can be read without it.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export async function proveDefaultStorage(
  file: string,
  { shared, onError }: ProofParts,
): Promise<void> {
  if (isOpenToOthers(file)) {
    onError(invalid('can be read by other users of this machine. Run chmod 600 on it.'));
  }
  try {
    await shared.prove();
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    if (error.code === 'store_refused')
      throw invalid(`names a store that refuses the service. ${error.message}`, error);
    onError(error);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid('cannot be read. Check its path and its permissions.', error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, including secrets.
    throw invalid('is not valid JSON.');
  }
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

function invalid(what: string, cause?: unknown): ForensicsError {
  return new ForensicsError('config_invalid', `The file of defaultStorage ${what}`, { cause });
}
