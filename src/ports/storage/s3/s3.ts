/**
 * Objects in a bucket of any S3 server: the verbs of the client library, repeated while the server is away. URLs for
 * clients are signed here, without a request.
 */

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
  /** Where this process reaches the server. Null or left out: where clients do. URLs are signed for clients always. */
  readonly internal?: S3Address | null;
}

/**
 * @param config - `endpoint` without scheme and port; `region` as the server knows it: it is part of every signature.
 * @throws {RangeError} for an expiry outside 1..604800.
 * @throws {ForensicsError} `invalid_request` for an endpoint that is no host name or address.
 */
export function createS3Store(
  config: S3StorageConfig,
  settings: S3StoreSettings = {},
): RemoteStore {
  const { maxObjectBytes = maxUploadBytes } = settings;
  const { bucketName: bucket } = config;
  const presign = createPresigner(config);
  const reached = { ...config, ...settings.internal };
  // The client library's message is less precise.
  s3Origin(reached);
  const { retryDelayMs } = { ...defaultTimeouts, ...settings.timeouts };
  const open = createS3Client(reached, settings);

  /** For what may be done twice: every act of this store. */
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
      'The store lost the object as soon as it had it.',
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

/** The client library is stricter than some servers: it refuses four numbers with dots. */
function invalidBucketName(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The bucket name cannot be used; name one of 3 to 63 lower-case letters, digits, dots and hyphens that looks like no IP address.',
  );
}

/** Null when the store did not send it. */
function declaredLength(answer: Readable): number | null {
  const length = answer instanceof IncomingMessage ? answer.headers['content-length'] : undefined;
  return length === undefined ? null : Number(length);
}
