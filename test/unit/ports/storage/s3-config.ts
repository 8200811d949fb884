import type { S3StorageConfig } from '../../../../src/contract/tenant.ts';

/** The configuration of a bucket at this address. */
export function s3ConfigAt(origin: string): S3StorageConfig {
  const { hostname, port, protocol } = new URL(origin);
  return {
    endpoint: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    useSSL: protocol === 'https:',
    bucketName: 'pictures',
    region: 'us-east-1',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'secret',
    presignedUrlExpirySeconds: 604_800,
    corsAllowedOrigins: null,
  };
}
