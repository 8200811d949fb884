import type { S3StorageConfig } from '../../../../src/contract/tenant.ts';
import { bucket, keys, region } from './s3-api-server.ts';

/** Leads to the bucket of an S3 API on loopback. */
export function s3ConfigFor(
  server: { readonly origin: string },
  bucketName: string = bucket,
): S3StorageConfig {
  const { hostname, port, protocol } = new URL(server.origin);
  return {
    endpoint: hostname,
    port: Number(port),
    useSSL: protocol === 'https:',
    bucketName,
    region,
    ...keys.credentialsFor(bucketName),
    presignedUrlExpirySeconds: 604_800,
    corsAllowedOrigins: null,
  };
}
