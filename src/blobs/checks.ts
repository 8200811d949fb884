/** What every store asks of the text that it is given, so that an object can move from one to another. */

import { ForensicsError } from '../errors.ts';

/** What S3 and Azure allow. */
export const maxKeyBytes = 1024;

/** @throws {ForensicsError} `invalid_request` unless the key is text of 1 to 1024 bytes in UTF-8. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes >= 1 && bytes <= maxKeyBytes && !/\p{Surrogate}/u.test(key)) return;
  throw new ForensicsError('invalid_request', 'An object key has 1 to 1024 bytes of UTF-8.');
}

/**
 * For keys that must not lead out of a folder or a container: URLs resolve dots between slashes, whoever encodes them, and
 * Azure takes a backslash for a slash.
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

/** It becomes a header one day. @throws {ForensicsError} `invalid_request`. */
export function checkContentType(contentType: string): void {
  if (/^[\x20-\x7e]{1,255}$/.test(contentType)) return;
  throw new ForensicsError(
    'invalid_request',
    'A content type is one line of up to 255 characters.',
  );
}
