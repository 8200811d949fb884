/**
 * The keys of the embedded store's buckets: one bucket a tenant, one key pair a bucket, both computed from one
 * secret whenever they are needed. Nothing is stored, so nothing can leak from the database or get lost.
 */

import { hkdfSync } from 'node:crypto';
import type { Credentials } from '../sigv4/sigv4.ts';

export interface BucketAccount {
  readonly secretAccessKey: string;
  readonly bucket: string;
}

export interface BucketCredentials {
  /** @throws {RangeError} when `bucket` is no name that `bucketNameFor` gave. */
  credentialsFor(bucket: string): Credentials;
  /** The S3 API's question: whose key is this? Null when no bucket ever had it under this root key. */
  secretFor(accessKeyId: string): BucketAccount | null;
}

const bucketPattern = /^b-([0-9a-f]{24})$/;
const accessKeyPattern = /^FK([0-9A-F]{24})([0-9A-F]{8})$/;

/** @param rootKey - At least 32 random bytes. */
export function createBucketCredentials(rootKey: Uint8Array): BucketCredentials {
  if (rootKey.length < 32) throw new RangeError('A root key has at least 32 bytes.');

  function derive(bucket: string, purpose: string, length: number): Buffer {
    // The purpose keeps these keys apart from whatever else is derived from the same key.
    const info = `forensics/blobs/${purpose}/1/${bucket}`;
    return Buffer.from(hkdfSync('sha256', rootKey, '', info, length));
  }

  function credentialsFor(bucket: string): Credentials {
    const tenantId = bucketPattern.exec(bucket)?.[1];
    if (tenantId === undefined) throw new RangeError('Not the name of a bucket.');
    // The tail changes with the root key: a client with old keys gets `InvalidAccessKeyId`, not a signature error.
    const tail = derive(bucket, 'access-key', 4).toString('hex');
    return {
      accessKeyId: `FK${`${tenantId}${tail}`.toUpperCase()}`,
      secretAccessKey: derive(bucket, 'secret-key', 30).toString('base64url'),
    };
  }

  function secretFor(accessKeyId: string): BucketAccount | null {
    const tenantId = accessKeyPattern.exec(accessKeyId)?.[1]?.toLowerCase();
    if (tenantId === undefined) return null;
    const bucket = bucketNameFor(tenantId);
    const credentials = credentialsFor(bucket);
    if (credentials.accessKeyId !== accessKeyId) return null;
    return { secretAccessKey: credentials.secretAccessKey, bucket };
  }

  return { credentialsFor, secretFor };
}

/**
 * @param tenantId - 24 lower-case hex digits.
 * @throws {RangeError} for anything else: a bucket is also the name of a folder.
 */
export function bucketNameFor(tenantId: string): string {
  const bucket = `b-${tenantId}`;
  if (!isBucketName(bucket)) throw new RangeError('A tenant id has 24 lower-case hex digits.');
  return bucket;
}

/** True for `b-` and 24 lower-case hex digits: the paths that belong to the S3 API. */
export function isBucketName(name: string): boolean {
  return bucketPattern.test(name);
}
