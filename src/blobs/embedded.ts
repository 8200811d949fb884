/**
 * The store inside the program: a folder, and URLs in the manner of S3 that lead to this server's own door. It keeps
 * bytes of one bucket; who may ask for them is the door's and the signatures' matter.
 */

import { Readable } from 'node:stream';
import { ForensicsError } from '../errors.ts';
import { checkContentType } from './checks.ts';
import { isBucketName } from './credentials.ts';
import { defaultContentType, defaultMaxObjectBytes } from './defaults.ts';
import type { FileSystem } from './files/disk.ts';
import { createObjectFiles } from './files/object-files.ts';
import type { ObjectRecord } from './files/record.ts';
import { presignObject } from './presign-object.ts';
import { type Credentials, checkExpiry, maxExpirySeconds } from './sigv4.ts';
import type { BlobInfo, BlobStore, StorageUrls } from './store.ts';

export interface EmbeddedStoreSettings {
  /** The folder of all buckets; the same as the door's. */
  readonly root: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** Public origin of the server, as clients see it. Asked at each signing: the port may be known late. */
  readonly endpoint: () => URL;
  readonly region: string;
  /** 1..604800; seven days when left out. */
  readonly expirySeconds?: number;
  /** 50 MiB when left out. */
  readonly maxObjectBytes?: number;
  readonly now?: () => Date;
  /** For tests of a failing disk. */
  readonly fileSystem?: FileSystem;
}

/**
 * Opens the bucket and removes what crashed writers left.
 *
 * @throws {RangeError} for a setting out of range.
 * @throws {ForensicsError} `store_unavailable` when the folder cannot be read.
 */
export function createEmbeddedStore(settings: EmbeddedStoreSettings): BlobStore {
  const { bucket, credentials, endpoint, region, now = () => new Date() } = settings;
  const { expirySeconds = maxExpirySeconds, maxObjectBytes = defaultMaxObjectBytes } = settings;
  if (!isBucketName(bucket)) throw new RangeError('Not the name of a bucket.');
  checkExpiry(expirySeconds);
  const files = createObjectFiles({ ...settings, maxObjectBytes, now });
  files.sweep();

  async function put(
    key: string,
    body: Uint8Array | Readable,
    options: { readonly contentType?: string } = {},
  ): Promise<BlobInfo> {
    const contentType = options.contentType ?? defaultContentType;
    checkContentType(contentType);
    const source = body instanceof Readable ? body : Readable.from([body]);
    return infoOf(await files.write(key, source, { contentType }));
  }

  async function read(key: string, maxBytes: number): Promise<Uint8Array> {
    const object = await files.open(key);
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
    const record = await files.head(key);
    return record === null ? null : infoOf(record);
  }

  function presign(key: string, signedAt: Date): StorageUrls {
    const bucketUrl = `${endpoint().origin}/${bucket}`;
    return presignObject({ bucketUrl, key, credentials, region, expirySeconds, now: signedAt });
  }

  return { type: 's3', put, read, head, delete: (key) => files.remove(key), presign };
}

function infoOf(record: ObjectRecord): BlobInfo {
  return {
    key: record.key,
    sizeBytes: record.sizeBytes,
    etag: record.md5,
    contentType: record.contentType,
    modifiedAt: record.createdAt,
  };
}
