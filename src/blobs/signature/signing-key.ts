import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface Scope {
  /** `yyyymmdd`. */
  readonly day: string;
  readonly region: string;
}

/** A day has one key per secret and region; a server of many tenants stays far below this. */
const maxKept = 512;
const kept = new Map<string, KeyObject>();

/**
 * The key that signs one day's requests in one region: four rounds of HMAC over the secret, kept for the next call.
 *
 * @see Amazon S3 API Reference, "Calculating a signature", `SigningKey`.
 */
export function signingKey(secretAccessKey: string, { day, region }: Scope): KeyObject {
  const name = `${day}/${region}/${secretAccessKey}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const dayKey = hmac(`AWS4${secretAccessKey}`, day);
  // A key object, not bytes: Node takes it five times as fast.
  const key = createSecretKey(hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request'));
  // Oldest first out: a Map keeps the order of insertion.
  if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
  kept.set(name, key);
  return key;
}

export function scopeText({ day, region }: Scope): string {
  return `${day}/${region}/s3/aws4_request`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

export function hmacHex(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Equal texts? The time taken depends on their lengths alone. */
export function equalText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
