/** The store inside the program: a folder, and URLs that lead to this server's own route for objects. */

import { Readable } from 'node:stream';
import { maxPresignedUrlExpirySeconds } from '../../../contract/limits.ts';
import { ForensicsError } from '../../../errors.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkContentType,
  checkExpiry,
  checkKey,
  defaultContentType,
} from '../store.ts';
import type { Buckets } from './buckets.ts';
import type { ObjectRecord } from './record.ts';
import type { ObjectUrls } from './signed-urls.ts';

interface EmbeddedStoreSettings {
  /** The same as the server's. */
  readonly buckets: Buckets;
  readonly bucket: string;
  readonly urls: ObjectUrls;
  /** Public origin of the server, as clients see it. Read at each signing: the port may be known late. */
  readonly endpoint: () => URL;
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
  const { buckets, bucket, urls, endpoint } = settings;
  const { expirySeconds = maxPresignedUrlExpirySeconds } = settings;
  checkExpiry(expirySeconds);
  const opened = buckets.open(bucket);
  opened.sweep();
  const { objects } = opened;

  return {
    type: 's3',
    async put(key, body, { contentType = defaultContentType } = {}) {
      checkContentType(contentType);
      const object =
        body instanceof Readable
          ? { source: body }
          : { source: Readable.from([body]), announcedBytes: body.length };
      return blobInfo(await objects.write(key, { ...object, contentType }));
    },
    async read(key, maxBytes) {
      const object = await objects.open(key);
      if (object === null) {
        throw new ForensicsError('blob_not_found', 'The store has no object with this key.');
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
    },
    async head(key) {
      const record = await objects.head(key);
      return record === null ? null : blobInfo(record);
    },
    delete: (key) => objects.remove(key),
    presign(key, now) {
      checkKey(key);
      const expires = Math.floor(now.getTime() / 1000) + expirySeconds;
      const { origin } = endpoint();
      const signed = urls.sign({ bucket, key }, expires);
      return {
        type: 's3',
        objectKey: key,
        putUrl: origin + signed.PUT,
        getUrl: origin + signed.GET,
        deleteUrl: origin + signed.DELETE,
        expiresAt: new Date(expires * 1000).toISOString(),
      };
    },
  };
}

function blobInfo(record: ObjectRecord): BlobInfo {
  return {
    key: record.key,
    sizeBytes: record.sizeBytes,
    etag: record.etag,
    contentType: record.contentType,
    modifiedAt: record.createdAt,
  };
}
