/** The contract's StorageConfig: where a tenant's objects are stored if not in the embedded store. */

import { isIPv6 } from 'node:net';
import type { AzureStorageConfig, S3StorageConfig } from '../../contract/tenant.ts';
import { ForensicsError } from '../../errors.ts';
import { parseConnectionString } from './azure/client.ts';

export type S3Address = Pick<S3StorageConfig, 'endpoint' | 'port' | 'useSSL'>;

/** Settings that only the service-wide store has, not a tenant's. */
interface Shared {
  /** Prefix of all of the tenant's keys, because tenants share the bucket. */
  readonly keyPrefix: string;
  /** Where the service itself reaches the S3 server; null if at the same address as clients. */
  readonly internal: S3Address | null;
}

export type StorageConfig = (
  | { readonly type: 's3'; readonly s3: S3StorageConfig }
  | { readonly type: 'azure'; readonly azure: AzureStorageConfig }
) & { readonly shared?: Shared };

export type SharedConfig = StorageConfig & { readonly shared: Shared };

/**
 * Identifies the place of the objects. It contains no credentials, and is equal for configurations that differ only in
 * those.
 *
 * @throws {ForensicsError} `invalid_request` for an invalid Azure connection string or S3 endpoint.
 */
export function storagePlace(config: StorageConfig): string {
  const place = bucketPlace(config);
  // Bucket names contain no slash, so a tenant's own bucket never equals a part of a shared one.
  return config.shared === undefined ? place : `${place}/${config.shared.keyPrefix}`;
}

function bucketPlace(config: StorageConfig): string {
  if (config.type === 's3') return `s3 ${s3Origin(config.s3)}/${config.s3.bucketName}`;
  const { containerName, connectionString } = config.azure;
  return `azure ${parseConnectionString(connectionString).blobEndpoint}/${containerName}`;
}

/** Hosts that the client library accepts and that are unambiguous in a URL. */
const hostPattern = /^[a-z\d:]([\w.:-]*[a-z\d:.])?$/i;

/** Amazon's regional host: the one without a region redirects path-style requests. */
export function s3Host({ endpoint, region }: S3StorageConfig): string {
  return endpoint === 's3.amazonaws.com' ? `s3.${region}.amazonaws.com` : endpoint;
}

/**
 * Scheme, host and port as clients must use them, because the host is signed.
 *
 * @throws {ForensicsError} `invalid_request` for an endpoint that is not a host name or address.
 */
export function s3Origin(config: S3StorageConfig): string {
  const host = s3Host(config);
  const named = isIPv6(host) ? `[${host}]` : host;
  const url = URL.parse(`${config.useSSL ? 'https' : 'http'}://${named}:${config.port}`);
  if (url !== null && hostPattern.test(host)) return url.origin;
  throw new ForensicsError(
    'invalid_request',
    'The endpoint must be a host name or an address, without scheme, port and path.',
  );
}
