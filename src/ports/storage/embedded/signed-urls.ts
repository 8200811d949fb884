/**
 * The URLs of the embedded store. Each permits one method on one object until it expires, and nothing about it is stored:
 *
 *     /b-<tenant id>/<key>?expires=<Unix seconds>&signature=<HMAC-SHA-256 in base64url>
 */

import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { ForensicsError } from '../../../errors.ts';
import { encodePath } from '../store.ts';

export type SignedMethod = 'GET' | 'PUT' | 'DELETE';

interface SignedObject {
  readonly bucket: string;
  readonly key: string;
}

export interface ObjectUrls {
  /** @returns path and query of the URL for each method. @param expires - in Unix seconds. */
  sign(object: SignedObject, expires: number): Readonly<Record<SignedMethod, string>>;
  /**
   * @param claimed - `expires` and `signature` as the URL has them, unchecked.
   * @throws {ForensicsError} `forbidden` unless this server signed exactly this; `url_expired`.
   */
  verify(
    method: SignedMethod,
    object: SignedObject,
    claimed: { readonly expires?: unknown; readonly signature?: unknown },
  ): void;
}

interface ObjectUrlsSettings {
  /** 32 random bytes. */
  readonly key: Uint8Array;
  readonly now?: () => Date;
}

export function createObjectUrls(settings: ObjectUrlsSettings): ObjectUrls {
  const { now = () => new Date() } = settings;
  // A key object, not bytes: Node takes it several times as fast.
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', settings.key, '', 'forensics/blobs/urls/1', 32)),
  );

  function signature(method: SignedMethod, object: SignedObject, expires: string): string {
    // The key comes last, because only it may contain a line break.
    const text = `${method}\n${expires}\n${object.bucket}\n${object.key}`;
    return createHmac('sha256', key).update(text).digest('base64url');
  }

  return {
    sign(object, expires) {
      const path = `/${object.bucket}/${encodePath(object.key)}?expires=${expires}&signature=`;
      const url = (method: SignedMethod) => path + signature(method, object, String(expires));
      return { GET: url('GET'), PUT: url('PUT'), DELETE: url('DELETE') };
    },
    verify(method, object, claimed) {
      const { expires, signature: given } = claimed;
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

/** The time this takes depends on the lengths alone. */
function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
