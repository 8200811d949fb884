/** An S3 server on loopback whose buckets belong to tenants, with keys that can be replaced while it runs. */

import { createServer } from 'node:http';
import type { S3StorageConfig } from '../../../../src/contract/tenant.ts';
import type { StorageConfig } from '../../../../src/ports/storage/storage-config.ts';
import { bucket, otherBucket, startS3Api } from './s3-api-server.ts';

export { bucket, otherBucket };

export interface OwnBuckets {
  readonly port: number;
  /** The bucket with its present key. */
  configOf(name: string, more?: Partial<S3StorageConfig>): StorageConfig & { readonly type: 's3' };
  /** From now on the bucket has another key, and the old one is unknown. */
  replaceKey(name: string): void;
  /** Names of all files of all buckets. */
  files(): string[];
  close(): Promise<void>;
}

export async function startOwnBuckets(): Promise<OwnBuckets> {
  const keys = new Map([
    [bucket, 1],
    [otherBucket, 1],
  ]);
  const idOf = (name: string) => `KEY-${keys.get(name) ?? 0}-OF-${name}`;
  const secretOf = (name: string) => `secret ${idOf(name)}`;
  const server = await startS3Api(
    {
      secretFor(accessKeyId) {
        const name = [...keys.keys()].find((known) => idOf(known) === accessKeyId);
        return name === undefined ? null : { secretAccessKey: secretOf(name), bucket: name };
      },
    },
    createServer(),
  );
  return {
    port: server.port,
    configOf: (name, more = {}) => ({
      type: 's3',
      s3: {
        endpoint: '127.0.0.1',
        port: server.port,
        useSSL: false,
        bucketName: name,
        region: 'us-east-1',
        accessKeyId: idOf(name),
        secretAccessKey: secretOf(name),
        presignedUrlExpirySeconds: 3600,
        corsAllowedOrigins: null,
        ...more,
      },
    }),
    replaceKey: (name) => void keys.set(name, (keys.get(name) ?? 0) + 1),
    files: () => server.files(),
    close: () => server.close(),
  };
}
