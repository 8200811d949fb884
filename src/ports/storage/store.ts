/**
 * The port behind which bytes are stored. Promises of every store:
 * - `put` is atomic: a reader sees the old object or the whole new one, also after a crash;
 * - an object that was acknowledged survives a power cut;
 * - keys are opaque; no key of one tenant's store reaches another's;
 * - `presign` is local arithmetic: it asks no server and never fails for a valid key.
 */

import type { Readable } from 'node:stream';
import type { StorageUrls } from '../../contract/analysis.ts';
import { maxPresignedUrlExpirySeconds } from '../../contract/limits.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';

export interface BlobInfo {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly contentType: string;
  readonly modifiedAt: Date;
}

export interface BlobStore {
  readonly type: StorageType;
  /** @throws {ForensicsError} `no_space_left`, `blob_too_large`, `store_unavailable`. */
  put(
    key: string,
    body: Uint8Array | Readable,
    options?: { readonly contentType?: string },
  ): Promise<BlobInfo>;
  /** The whole object. @throws {ForensicsError} `blob_not_found`, `blob_too_large` when above `maxBytes`. */
  read(key: string, maxBytes: number): Promise<Uint8Array>;
  /** Null when there is no such object. */
  head(key: string): Promise<BlobInfo | null>;
  /** Deleting what is not there succeeds. */
  delete(key: string): Promise<void>;
  presign(key: string, now: Date): StorageUrls;
}

export type CorsOutcome =
  | { readonly applied: true }
  /** The store does not offer it, or does not let us. */
  | { readonly applied: false; readonly reason: string };

/** A store on another machine. */
export interface RemoteStore extends BlobStore {
  /**
   * Writes, reads and deletes a small object; makes an Azure container that is missing.
   *
   * @throws {ForensicsError} `store_refused`: the error of the store and what to check; `store_unavailable`: cannot be reached.
   */
  probe(): Promise<void>;
  /** Lets pages of these origins upload to and download from presigned URLs. Idempotent; never throws. */
  applyCors(origins: readonly string[]): Promise<CorsOutcome>;
}

/** The limit that S3 and Azure share. Every store has it, so that an object can move from one to another. */
const maxKeyBytes = 1024;

/** @throws {ForensicsError} `invalid_request` unless the key is text of 1 to 1024 bytes in UTF-8. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes >= 1 && bytes <= maxKeyBytes && key.isWellFormed()) return;
  throw new ForensicsError('invalid_request', 'An object key has 1 to 1024 bytes of UTF-8.');
}

/**
 * For keys that must not lead out of a folder or a container: clients resolve dots between the slashes of a URL, encoded or
 * not, and Azure reads a backslash as a slash.
 *
 * @throws {ForensicsError} `invalid_request`.
 */
export function checkPath(key: string): void {
  checkKey(key);
  const isPlain = !key.includes('\\') && !key.split('/').some((part) => /^\.\.?$/.test(part));
  if (isPlain) return;
  throw new ForensicsError(
    'invalid_request',
    'A key in this store has no backslash, and no part of it is "." or "..".',
  );
}

/** It is sent as a header. @throws {ForensicsError} `invalid_request`. */
export function checkContentType(contentType: string): void {
  if (/^[\x20-\x7e]{1,255}$/.test(contentType)) return;
  throw new ForensicsError(
    'invalid_request',
    'A content type is one line of up to 255 characters.',
  );
}

export const defaultContentType = 'application/octet-stream';

/** @throws {RangeError} unless it is a whole number from 1 to 604800: the longest that S3 signs for. */
export function checkExpiry(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= maxPresignedUrlExpirySeconds) return;
  throw new RangeError(`A presigned URL lives 1 to ${maxPresignedUrlExpirySeconds} seconds.`);
}

/** Percent-encodes a key for a URL as S3 signs it: all but slashes and `A-Z a-z 0-9 - . _ ~`. */
export function encodePath(key: string): string {
  if (/^[\w.~/-]*$/.test(key)) return key;
  return encodeURIComponent(key)
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}
