/** Objects in a bucket of any S3 server, through the client library, with retries. URLs for clients are signed locally. */

import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Client } from 'minio';
import { maxUploadBytes } from '../../../contract/limits.ts';
import type { S3StorageConfig } from '../../../contract/tenant.ts';
import { ForensicsError } from '../../../errors.ts';
import { connectionFailure, nullWhenMissing, withStoreRetry } from '../remote/errors.ts';
import { defaultTimeouts, type RemoteSettings } from '../remote/http-agent.ts';
import { gather, gatherAnswer, probeStore } from '../remote/probe.ts';
import { s3Origin, type S3Address } from '../storage-config.ts';
import {
  type BlobInfo,
  checkContentType,
  checkKey,
  defaultContentType,
  type RemoteStore,
} from '../store.ts';
import { createS3Client } from './client.ts';
import { applyCorsRules } from './cors.ts';
import { createPresigner } from './presign.ts';

interface S3StoreSettings extends RemoteSettings {
  /** Where this process reaches the server; null or left out: where clients do. URLs are always signed for clients. */
  readonly internal?: S3Address | null;
}

/**
 * @param config - `endpoint` without scheme and port; `region` as the server knows it, because every signature contains it.
 * @throws {RangeError} for an expiry outside 1..604800.
 * @throws {ForensicsError} `invalid_request` for an endpoint that is not a host name or address.
 */
export function createS3Store(
  config: S3StorageConfig,
  settings: S3StoreSettings = {},
): RemoteStore {
  const { maxObjectBytes = maxUploadBytes } = settings;
  const { bucketName: bucket } = config;
  const presign = createPresigner(config);
  const reached = { ...config, ...settings.internal };
  // Checks the address: the client library's message is less precise.
  s3Origin(reached);
  const { retryDelayMs } = { ...defaultTimeouts, ...settings.timeouts };
  const open = createS3Client(reached, settings);

  /** Every act of this store is safe to repeat. */
  function act<T>(request: (client: Client) => Promise<T>): Promise<T> {
    return withStoreRetry(retryDelayMs, async () => {
      const client = await open();
      try {
        return await request(client);
      } catch (error) {
        if (error instanceof Error && error.name === 'InvalidBucketNameError')
          throw invalidBucketName();
        throw connectionFailure(error);
      }
    });
  }

  async function put(
    key: string,
    body: Uint8Array | Readable,
    options: { readonly contentType?: string } = {},
  ): Promise<BlobInfo> {
    checkKey(key);
    const contentType = options.contentType ?? defaultContentType;
    checkContentType(contentType);
    const bytes = await gather(body, maxObjectBytes);
    const headers = { 'content-type': contentType };
    await act((client) => client.putObject(bucket, key, bytes, bytes.length, headers));
    const info = await head(key);
    if (info !== null) return info;
    throw new ForensicsError(
      'store_unavailable',
      'The store accepted the object but does not have it. Try again later.',
    );
  }

  async function read(key: string, maxBytes: number): Promise<Uint8Array> {
    checkKey(key);
    return act(async (client) => {
      const answer = await client.getObject(bucket, key);
      return gatherAnswer(answer, declaredLength(answer), maxBytes);
    });
  }

  async function head(key: string): Promise<BlobInfo | null> {
    checkKey(key);
    const stat = await nullWhenMissing(act((client) => client.statObject(bucket, key)));
    if (stat === null) return null;
    const { size: sizeBytes, etag, metaData, lastModified: modifiedAt } = stat;
    const contentType = String(metaData['content-type'] ?? defaultContentType);
    return { key, sizeBytes, etag, contentType, modifiedAt };
  }

  async function remove(key: string): Promise<void> {
    checkKey(key);
    await nullWhenMissing(act((client) => client.removeObject(bucket, key)));
  }

  return {
    type: 's3',
    put,
    read,
    head,
    delete: remove,
    presign,
    probe: () => probeStore({ put, read, head, delete: remove }),
    applyCors: (origins) => applyCorsRules({ act, bucket, origins }),
  };
}

/** The client library is stricter than some servers: it refuses names that look like an IP address. */
function invalidBucketName(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The bucket name cannot be used. It needs 3 to 63 lower-case letters, digits, dots and hyphens, and must not look like an IP address.',
  );
}

/** Null when the store did not declare it. */
function declaredLength(answer: Readable): number | null {
  const length = answer instanceof IncomingMessage ? answer.headers['content-length'] : undefined;
  return length === undefined ? null : Number(length);
}
