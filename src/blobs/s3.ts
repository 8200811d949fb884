/**
 * Objects in a bucket of any S3 server. Requests go through one signed channel; URLs for clients are signed here and ask
 * nobody.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ForensicsError } from '../errors.ts';
import { checkContentType, checkKey } from './checks.ts';
import { defaultContentType, defaultMaxObjectBytes } from './defaults.ts';
import { presignObject } from './presign-object.ts';
import { gather, gatherAnswer } from './remote/gather.ts';
import { probeStore } from './remote/probe.ts';
import type { RemoteSettings } from './remote/settings.ts';
import { createS3Client, drain } from './s3/client.ts';
import { applyCorsRules } from './s3/cors.ts';
import { originOf } from './s3/place.ts';
import type { S3Refusal } from './s3/refusal.ts';
import { checkExpiry } from './sigv4.ts';
import type { S3Address, S3StorageConfig } from './storage-config.ts';
import type { BlobInfo, RemoteStore } from './store.ts';

export interface S3StoreSettings extends RemoteSettings {
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
  const { maxObjectBytes = defaultMaxObjectBytes } = settings;
  const place = {
    bucketUrl: `${originOf(config)}/${config.bucketName}`,
    credentials: config,
    region: config.region,
    expirySeconds: config.presignedUrlExpirySeconds,
  };
  checkExpiry(place.expirySeconds);
  const reached = { ...config, ...settings.internal };
  // The client library says less about what is wrong with it.
  originOf(reached);
  const client = createS3Client(reached, settings);

  async function put(
    key: string,
    body: Uint8Array | Readable,
    options: { readonly contentType?: string } = {},
  ): Promise<BlobInfo> {
    checkKey(key);
    const contentType = options.contentType ?? defaultContentType;
    checkContentType(contentType);
    const bytes = await gather(body, maxObjectBytes);
    const digest = createHash('md5').update(bytes).digest('base64');
    const headers = { 'content-type': contentType, 'content-md5': digest };
    await client.send({ method: 'PUT', key, headers, body: bytes }, drain);
    const info = await head(key);
    if (info !== null) return info;
    throw new ForensicsError(
      'store_unavailable',
      'The store lost the object as soon as it had it.',
    );
  }

  async function read(key: string, maxBytes: number): Promise<Uint8Array> {
    checkKey(key);
    return client.send({ method: 'GET', key }, (answer) =>
      gatherAnswer(answer, lengthOf(answer), maxBytes),
    );
  }

  async function head(key: string): Promise<BlobInfo | null> {
    checkKey(key);
    return client.send<BlobInfo | null>(
      { method: 'HEAD', key },
      async (answer) => infoOf(key, await drain(answer)),
      nullWhenMissing,
    );
  }

  async function remove(key: string): Promise<void> {
    checkKey(key);
    await client.send<unknown>({ method: 'DELETE', key }, drain, nullWhenMissing);
  }

  return {
    type: 's3',
    put,
    read,
    head,
    delete: remove,
    presign: (key, now) => presignObject({ ...place, key, now }),
    probe: () => probeStore({ put, read, head, delete: remove }),
    applyCors: (origins) => applyCorsRules(client, origins),
  };
}

function nullWhenMissing({ failure }: S3Refusal): null {
  if (failure.code === 'blob_not_found') return null;
  throw failure;
}

function infoOf(key: string, answer: IncomingMessage): BlobInfo {
  const { headers } = answer;
  return {
    key,
    sizeBytes: lengthOf(answer) ?? 0,
    etag: (headers.etag ?? '').replaceAll('"', ''),
    contentType: headers['content-type'] ?? defaultContentType,
    modifiedAt: new Date(headers['last-modified'] ?? 0),
  };
}

/** Null when the store did not say. */
function lengthOf({ headers }: IncomingMessage): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}
