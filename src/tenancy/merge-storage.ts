/**
 * What a storage configuration becomes by a request: members that were left out or masked stay as they were, as long as
 * the server or bucket that they belong to stays. A stored secret stays only where it was: it is never sent to another
 * place, nor used for another account.
 */

import {
  type AzureStorageConfig,
  placeOf,
  type S3StorageConfig,
  type StorageConfig,
} from '../blobs/storage-config.ts';
import { ForensicsError } from '../errors.ts';
import { checkAzure, checkS3, invalidStorage, maxExpirySeconds } from './check-storage.ts';
import { isMasked, maskAzure, maskS3, type StorageRequest } from './storage-wire.ts';

/**
 * @param stored - what the tenant has; null when that is the service's own store, or cannot be opened.
 * @throws {ForensicsError} `invalid_request` that names the member and says what it must be.
 */
export function mergeStorage(stored: StorageConfig | null, request: StorageRequest): StorageConfig {
  const { s3 = null, azure = null } = request;
  if (s3 !== null && azure === null) {
    return { type: 's3', s3: mergeS3(stored?.type === 's3' ? stored.s3 : null, s3) };
  }
  if (azure !== null && s3 === null) {
    const before = stored?.type === 'azure' ? stored.azure : null;
    return { type: 'azure', azure: mergeAzure(before, azure) };
  }
  throw new ForensicsError('invalid_request', 'storageConfig must hold either s3 or azure.');
}

function mergeS3(stored: S3StorageConfig | null, given: Partial<S3StorageConfig>): S3StorageConfig {
  const fresh = withoutMasks('s3', given, stored === null ? {} : maskS3(stored));
  const kept = stored === null ? {} : keptOf(stored, fresh);
  const useSSL = fresh.useSSL ?? kept.useSSL ?? true;
  const merged = { ...s3Defaults, port: useSSL ? 443 : 80, ...kept, ...fresh, useSSL };
  const checked = checkS3(merged);
  const config = { ...checked, endpoint: checked.endpoint.toLowerCase() };
  if (stored === null) return config;
  const isThere = placeOf({ type: 's3', s3: stored }) === placeOf({ type: 's3', s3: config });
  if (fresh.accessKeyId === undefined && !isThere) throw elsewhere('s3.accessKeyId');
  const isSameAccount = isThere && config.accessKeyId === stored.accessKeyId;
  if (fresh.secretAccessKey === undefined && !isSameAccount) throw elsewhere('s3.secretAccessKey');
  return config;
}

/** What a request can leave out: how a server is spoken to says nothing of another one, nor a bucket's rules of another. */
function keptOf(
  stored: S3StorageConfig,
  { endpoint = stored.endpoint, bucketName = stored.bucketName }: Partial<S3StorageConfig>,
): Partial<S3StorageConfig> {
  const { port, useSSL, region, accessKeyId, secretAccessKey } = stored;
  const named = { endpoint: stored.endpoint, bucketName: stored.bucketName };
  const place = { ...named, accessKeyId, secretAccessKey };
  if (endpoint.toLowerCase() !== stored.endpoint) return place;
  return bucketName === stored.bucketName ? stored : { ...place, port, useSSL, region };
}

function mergeAzure(
  stored: AzureStorageConfig | null,
  given: Partial<AzureStorageConfig>,
): AzureStorageConfig {
  const fresh = withoutMasks('azure', given, stored === null ? {} : maskAzure(stored));
  const config = checkAzure({ ...stored, ...fresh });
  const isThere = stored === null || stored.containerName === config.containerName;
  if (fresh.connectionString === undefined && !isThere) throw elsewhere('azure.connectionString');
  return config;
}

const s3Defaults = {
  region: 'us-east-1',
  presignedUrlExpirySeconds: maxExpirySeconds,
  corsAllowedOrigins: null,
} as const;

/** @param shown - what was answered: a mask that is not from there stands for a secret that we do not have. */
function withoutMasks<T extends object>(type: string, given: T, shown: object): T {
  const answered = new Map(Object.entries(shown));
  const kept = Object.entries(given).filter(([member, value]) => {
    if (typeof value !== 'string' || !isMasked(value)) return true;
    if (answered.get(member) === value) return false;
    throw invalidStorage(
      `${type}.${member}`,
      'must be the secret itself: this masked one is not the one that was answered',
    );
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members were left out, none was changed.
  return Object.fromEntries(kept) as T;
}

function elsewhere(member: string): ForensicsError {
  return invalidStorage(
    member,
    'must be given again: a stored secret is never sent to another place nor used for another account',
  );
}
