/** The contract's StorageConfig: where a tenant keeps its objects when not in the embedded store. */

import { isIPv6 } from 'node:net';
import type { AzureStorageConfig, S3StorageConfig } from '../../contract/tenant.ts';
import { ForensicsError } from '../../errors.ts';
import { parseConnectionString } from './azure/client.ts';

export type S3Address = Pick<S3StorageConfig, 'endpoint' | 'port' | 'useSSL'>;

/** Of a store that an administrator gave to the whole service: what no tenant can configure. */
interface Shared {
  /** What the key of each of the tenant's objects begins with: other tenants have theirs in the same place. */
  readonly keyPrefix: string;
  /** Where the service itself reaches an S3 server; null where clients do. */
  readonly internal: S3Address | null;
}

export type StorageConfig = (
  | { readonly type: 's3'; readonly s3: S3StorageConfig }
  | { readonly type: 'azure'; readonly azure: AzureStorageConfig }
) & { readonly shared?: Shared };

export type SharedConfig = StorageConfig & { readonly shared: Shared };

/**
 * Where the objects lie, regardless of the caller: the same for two configurations that differ in credentials only. Holds none.
 *
 * @throws {ForensicsError} `invalid_request` for an Azure connection string or an S3 endpoint that is none.
 */
export function storagePlace(config: StorageConfig): string {
  const place = bucketPlace(config);
  // Names of buckets contain no slash: no tenant's own bucket coincides with a part of a shared one.
  return config.shared === undefined ? place : `${place}/${config.shared.keyPrefix}`;
}

function bucketPlace(config: StorageConfig): string {
  if (config.type === 's3') return `s3 ${s3Origin(config.s3)}/${config.s3.bucketName}`;
  const { containerName, connectionString } = config.azure;
  return `azure ${parseConnectionString(connectionString).blobEndpoint}/${containerName}`;
}

/** What the client library takes, and URLs do not read as something else. */
const hostPattern = /^[a-z\d:]([\w.:-]*[a-z\d:.])?$/i;

/** Amazon's host of the region: the one without region sends path-style requests elsewhere. */
export function s3Host({ endpoint, region }: S3StorageConfig): string {
  return endpoint === 's3.amazonaws.com' ? `s3.${region}.amazonaws.com` : endpoint;
}

/**
 * Scheme, host and port as clients must use them: the host is part of what is signed.
 *
 * @throws {ForensicsError} `invalid_request` for an endpoint that is no host name or address.
 */
export function s3Origin(config: S3StorageConfig): string {
  const host = s3Host(config);
  const named = isIPv6(host) ? `[${host}]` : host;
  const url = URL.parse(`${config.useSSL ? 'https' : 'http'}://${named}:${config.port}`);
  if (url !== null && hostPattern.test(host)) return url.origin;
  throw new ForensicsError(
    'invalid_request',
    'The endpoint is a host name or an address, without scheme, port and path.',
  );
}
