/** The contract's StorageConfig: where a tenant keeps its objects when not in the service's own store. */

import { parseConnectionString } from './azure/connection-string.ts';
import { originOf } from './s3/place.ts';

export interface S3StorageConfig {
  /** Host name or address, without scheme and port. */
  readonly endpoint: string;
  readonly port: number;
  readonly useSSL: boolean;
  readonly bucketName: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** 1..604800, the longest that Signature Version 4 allows. */
  readonly presignedUrlExpirySeconds: number;
  /** Null: nobody said anything, and the service's own list counts. */
  readonly corsAllowedOrigins: readonly string[] | null;
}

export interface AzureStorageConfig {
  readonly containerName: string;
  readonly connectionString: string;
}

export type StorageConfig =
  | { readonly type: 's3'; readonly s3: S3StorageConfig }
  | { readonly type: 'azure'; readonly azure: AzureStorageConfig };

/**
 * Where the objects lie, whoever asks: the same for two configurations that differ in credentials only. Holds none.
 *
 * @throws {ForensicsError} `invalid_request` for an Azure connection string or an S3 endpoint that is none.
 */
export function placeOf(config: StorageConfig): string {
  if (config.type === 's3') return `s3 ${originOf(config.s3)}/${config.s3.bucketName}`;
  const { containerName, connectionString } = config.azure;
  return `azure ${parseConnectionString(connectionString).blobEndpoint}/${containerName}`;
}
