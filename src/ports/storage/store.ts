/**
 * The interface for storing bytes. Every store guarantees:
 * - `put` is atomic: a reader sees the old object or the whole new one, even after a crash;
 * - an acknowledged object survives a power cut;
 * - keys are opaque; no key of one tenant's store reaches another's;
 * - `presign` is computed locally: it never makes a request, and never fails for a valid key.
 */

import type { StorageUrls } from '../../contract/analysis.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import { invalidRequest } from '../../contract/errors.ts';

export interface BlobInfo {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly contentType: string;
}

export interface BlobStore {
  readonly type: StorageType;
  /** @throws {ForensicsError} `no_space_left`, `blob_too_large`, `store_unavailable`. */
  put(
    key: string,
    body: Uint8Array,
    options?: { readonly contentType?: string },
  ): Promise<BlobInfo>;
  /** Reads the whole object. @throws {ForensicsError} `blob_not_found`, `blob_too_large` if above `maxBytes`. */
  read(key: string, maxBytes: number): Promise<Uint8Array>;
  /** Null if there is no such object. */
  head(key: string): Promise<BlobInfo | null>;
  /** Succeeds even if there is no such object. */
  delete(key: string): Promise<void>;
  presign(key: string, now: Date): StorageUrls;
}

export type CorsOutcome =
  | { readonly applied: true }
  /** The store does not support it, or does not permit it. */
  | { readonly applied: false; readonly reason: string };

export interface RemoteStore extends BlobStore {
  /** Writes, reads and deletes an object; creates a missing container. @throws `store_refused`, `store_unavailable`. */
  probe(): Promise<void>;
  /** Allows pages of these origins to upload and download with presigned URLs. Idempotent; never throws. */
  applyCors(origins: readonly string[]): Promise<CorsOutcome>;
}

/** The limit of S3 and of Azure. It applies to every store, so that objects can be moved between them. */
const maxKeyBytes = 1024;

/** @throws {ForensicsError} `invalid_request` unless the key is text of 1 to 1024 bytes in UTF-8. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes >= 1 && bytes <= maxKeyBytes && key.isWellFormed()) return;
  throw invalidRequest('An object key must be 1 to 1024 bytes long in UTF-8.');
}

/**
 * For keys that must not lead out of a folder or container: clients resolve dots between the slashes of a URL, even if
 * they are encoded, and Azure treats a backslash as a slash.
 *
 * @throws {ForensicsError} `invalid_request`.
 */
export function checkPath(key: string): void {
  checkKey(key);
  const isPlain = !key.includes('\\') && !key.split('/').some((part) => /^\.\.?$/.test(part));
  if (isPlain) return;
  throw invalidRequest(
    'A key in this store must not contain a backslash, and no part of it may be "." or "..".',
  );
}

/** The result of `presign`. @param sign - makes the URL for one method. */
export function storageUrls(
  { type, objectKey }: Pick<StorageUrls, 'type' | 'objectKey'>,
  expiresAt: Date,
  sign: (method: 'PUT' | 'GET' | 'DELETE') => string,
): StorageUrls {
  const urls = { putUrl: sign('PUT'), getUrl: sign('GET'), deleteUrl: sign('DELETE') };
  return { type, objectKey, ...urls, expiresAt: expiresAt.toISOString() };
}

export const defaultContentType = 'application/octet-stream';

/** Percent-encodes a key for a URL as S3 signatures require: everything except slashes and `A-Z a-z 0-9 - . _ ~`. */
export function encodePath(key: string): string {
  if (/^[\w.~/-]*$/.test(key)) return key;
  return encodeURIComponent(key)
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}

/** The part of a shared store under `prefix`, which no key can leave; only presigned URLs show the prefix. */
export function withPrefix(store: RemoteStore, prefix: string): RemoteStore {
  const whole = (key: string): string => {
    checkPath(key);
    return `${prefix}${key}`;
  };

  const part: BlobStore = {
    type: store.type,
    put: async (key, body, options) => store.put(whole(key), body, options),
    read: async (key, maxBytes) => store.read(whole(key), maxBytes),
    head: async (key) => store.head(whole(key)),
    delete: async (key) => store.delete(whole(key)),
    presign: (key, now) => store.presign(whole(key), now),
  };
  return { ...store, ...part };
}
