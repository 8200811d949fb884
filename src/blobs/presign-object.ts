import { checkKey } from './checks.ts';
import { encodePath } from './signature/canonical.ts';
import { type Credentials, presignUrl } from './sigv4.ts';
import type { StorageUrls } from './store.ts';

export interface PresignObject {
  /** Scheme, host and port as clients use them, and the bucket: path style, without a slash at the end. */
  readonly bucketUrl: string;
  readonly key: string;
  readonly credentials: Credentials;
  readonly region: string;
  /** 1..604800. */
  readonly expirySeconds: number;
  readonly now: Date;
}

/**
 * The three URLs of an object in a bucket, signed here.
 *
 * @throws {ForensicsError} `invalid_request` for a key that is none.
 */
export function presignObject(object: PresignObject): StorageUrls {
  const { bucketUrl, key, credentials, region, expirySeconds, now } = object;
  checkKey(key);
  const url = `${bucketUrl}/${encodePath(key)}`;
  const urlFor = (method: string) =>
    presignUrl({ method, url, credentials, region, expiresSeconds: expirySeconds, now });
  // The signature's time has no fraction of a second, so neither has the expiry.
  const expiresMs = (Math.floor(now.getTime() / 1000) + expirySeconds) * 1000;
  return {
    type: 's3',
    objectKey: key,
    putUrl: urlFor('PUT'),
    getUrl: urlFor('GET'),
    deleteUrl: urlFor('DELETE'),
    expiresAt: new Date(expiresMs).toISOString(),
  };
}
