/**
 * The store inside the program: a folder, and presigned S3 URLs that lead to this server's own S3 API. It keeps the bytes
 * of one bucket; who may ask for them is for the S3 API and the signatures to decide.
 */

import { Readable } from 'node:stream';
import type { StorageUrls } from '../../../contract/analysis.ts';
import { maxPresignedUrlExpirySeconds } from '../../../contract/limits.ts';
import { ForensicsError } from '../../../errors.ts';
import { checkExpiry, createObjectSigner, type Credentials } from '../sigv4/sigv4.ts';
import { type BlobInfo, type BlobStore, checkContentType, defaultContentType } from '../store.ts';
import type { Buckets } from './buckets.ts';
import type { ObjectRecord } from './record.ts';

export interface EmbeddedStoreSettings {
  /** The same as the S3 API's. */
  readonly buckets: Buckets;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** Public origin of the server, as clients see it. Asked at each signing: the port may be known late. */
  readonly endpoint: () => URL;
  readonly region: string;
  /** 1..604800; seven days when left out. */
  readonly expirySeconds?: number;
}

/**
 * Opens the bucket and removes what crashed writers left.
 *
 * @throws {RangeError} for a setting out of range.
 * @throws {ForensicsError} `store_unavailable` when the folder cannot be read.
 */
export function createEmbeddedStore(settings: EmbeddedStoreSettings): BlobStore {
  const { buckets, bucket, credentials, endpoint, region } = settings;
  const { expirySeconds = maxPresignedUrlExpirySeconds } = settings;
  checkExpiry(expirySeconds);
  const opened = buckets.of(bucket);
  opened.sweep();
  const { objects } = opened;
  const sign = createObjectSigner({ credentials, region, expirySeconds });

  async function put(
    key: string,
    body: Uint8Array | Readable,
    options: { readonly contentType?: string } = {},
  ): Promise<BlobInfo> {
    const contentType = options.contentType ?? defaultContentType;
    checkContentType(contentType);
    const object =
      body instanceof Readable
        ? { source: body }
        : { source: Readable.from([body]), announcedBytes: body.length };
    return infoOf(await objects.write(key, { ...object, contentType }));
  }

  async function read(key: string, maxBytes: number): Promise<Uint8Array> {
    const object = await objects.open(key);
    if (object === null) {
      throw new ForensicsError('blob_not_found', 'There is no object with this key in the store.');
    }
    try {
      const { sizeBytes } = object.record;
      if (sizeBytes > maxBytes) {
        throw new ForensicsError('blob_too_large', `The object has more than ${maxBytes} bytes.`);
      }
      const bytes = new Uint8Array(sizeBytes);
      let at = 0;
      for await (const block of object.bytes(0, sizeBytes)) {
        bytes.set(block, at);
        at += block.length;
      }
      return bytes;
    } finally {
      await object.close();
    }
  }

  async function head(key: string): Promise<BlobInfo | null> {
    const record = await objects.head(key);
    return record === null ? null : infoOf(record);
  }

  function presign(key: string, signedAt: Date): StorageUrls {
    const bucketUrl = `${endpoint().origin}/${bucket}`;
    return sign({ bucketUrl, key, now: signedAt });
  }

  return { type: 's3', put, read, head, delete: (key) => objects.remove(key), presign };
}

function infoOf(record: ObjectRecord): BlobInfo {
  return {
    key: record.key,
    sizeBytes: record.sizeBytes,
    etag: record.etag,
    contentType: record.contentType,
    modifiedAt: record.createdAt,
  };
}
