/** The built-in store: a folder, with URLs of the route for objects on this server. */

import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { maxPresignedUrlExpirySeconds } from '../../../contract/limits.ts';
import { ForensicsError } from '../../../errors.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkKey,
  defaultContentType,
  encodePath,
} from '../store.ts';
import type { Bucket, Buckets } from './buckets.ts';
import type { ObjectRecord } from './object-file.ts';

interface EmbeddedStoreSettings {
  /** Must be the same instance that the server uses. */
  readonly buckets: Buckets;
  readonly bucket: string;
  readonly urls: ObjectUrls;
  /** Public origin of the server, for clients. Read whenever a URL is signed, as the port may be unknown at first. */
  readonly endpoint: () => URL;
  /** Default: seven days. */
  readonly expirySeconds?: number;
}

export function createEmbeddedStore(settings: EmbeddedStoreSettings): BlobStore {
  const { buckets, bucket, urls, endpoint } = settings;
  const { expirySeconds = maxPresignedUrlExpirySeconds } = settings;
  const objects = buckets.open(bucket);

  return {
    type: 's3',
    async put(key, body, { contentType = defaultContentType } = {}) {
      return blobInfo(await objects.write(key, { source: Readable.from([body]), contentType }));
    },
    read: (key, maxBytes) => readObject(objects, key, maxBytes),
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

async function readObject(objects: Bucket, key: string, maxBytes: number): Promise<Uint8Array> {
  const object = await objects.open(key);
  if (object === null) {
    throw new ForensicsError('blob_not_found', 'The store has no object with this key.');
  }
  try {
    const { sizeBytes } = object.record;
    if (sizeBytes > maxBytes) {
      throw new ForensicsError('blob_too_large', `The object is larger than ${maxBytes} bytes.`);
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

function blobInfo(record: ObjectRecord): BlobInfo {
  const { key, sizeBytes, etag, contentType, createdAt: modifiedAt } = record;
  return { key, sizeBytes, etag, contentType, modifiedAt };
}

// The URLs of the embedded store. Each permits one method on one object until it expires; nothing about it is stored:
// /b-<tenant id>/<key>?expires=<Unix seconds>&signature=<HMAC-SHA-256 in base64url>

export type SignedMethod = 'GET' | 'PUT' | 'DELETE';

export interface SignedObject {
  readonly bucket: string;
  readonly key: string;
}

type ObjectUrls = ReturnType<typeof createObjectUrls>;

/** @param settings - the key has 32 random bytes. */
export function createObjectUrls(settings: { key: Uint8Array; now?: () => Date }) {
  const { now = () => new Date() } = settings;
  // A key object instead of bytes, because Node.js then signs several times as fast.
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', settings.key, '', 'forensics/blobs/urls/1', 32)),
  );

  function signature(method: SignedMethod, object: SignedObject, expires: string): string {
    // The key comes last, because nothing else may contain a line break.
    const text = `${method}\n${expires}\n${object.bucket}\n${object.key}`;
    return createHmac('sha256', key).update(text).digest('base64url');
  }

  return {
    /** @returns path and query of the URL for each method. @param expires - Unix time in seconds. */
    sign(object: SignedObject, expires: number): Readonly<Record<SignedMethod, string>> {
      const path = `/${object.bucket}/${encodePath(object.key)}?expires=${expires}&signature=`;
      const url = (method: SignedMethod) => path + signature(method, object, String(expires));
      return { GET: url('GET'), PUT: url('PUT'), DELETE: url('DELETE') };
    },
    /**
     * @param claimed - `expires` and `signature` from the URL, not yet checked.
     * @throws {ForensicsError} `forbidden` unless this server signed exactly this; `url_expired`.
     */
    verify(
      method: SignedMethod,
      object: SignedObject,
      { expires, signature: given }: { readonly expires?: unknown; readonly signature?: unknown },
    ): void {
      const isSigned =
        typeof expires === 'string' &&
        typeof given === 'string' &&
        isEqual(given, signature(method, object, expires));
      if (!isSigned) {
        throw new ForensicsError(
          'forbidden',
          'This URL was not signed by this server for this method; use it exactly as it was issued.',
        );
      }
      if (now().getTime() <= Number(expires) * 1000) return;
      throw new ForensicsError('url_expired', 'This URL has expired; request a new one.');
    },
  };
}

/** Constant-time comparison: the duration depends only on the lengths. */
function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
