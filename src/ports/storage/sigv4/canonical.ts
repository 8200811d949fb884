/**
 * The arithmetic of a signature, the same for both sides: the canonical form of a request, and the key that signs it.
 *
 * @see Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
 */

import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

export type Pair = readonly [name: string, value: string];

interface Canonical extends CanonicalRest {
  readonly method: string;
  /** Percent-encoded as `encodePath` does it; S3 neither normalises dots nor encodes twice. */
  readonly path: string;
}

interface CanonicalRest {
  /** As `canonicalQuery` writes it. */
  readonly query: string;
  /** Lower-case names, sorted; values trimmed. */
  readonly headers: readonly Pair[];
  /** Hex digest of the body, or one of S3's literal words. */
  readonly payload: string;
}

/** Five lines and the payload's hash, joined as the specification wants them. */
export function canonicalRequest({ method, path, ...rest }: Canonical): string {
  return `${method}\n${path}\n${canonicalRest(rest)}`;
}

/** All of it but method and path: many URLs have it in common. */
export function canonicalRest({ query, headers, payload }: CanonicalRest): string {
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  return `${query}\n${lines}\n${signedNames(headers)}\n${payload}`;
}

export function stringToSign(time: string, scope: string, canonical: string): string {
  return `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(canonical)}`;
}

export function canonicalQuery(query: readonly Pair[]): string {
  const encoded = query.map(([name, value]): Pair => [encodeText(name), encodeText(value)]);
  // After encoding all is ASCII, so that sorting by UTF-16 units is sorting by bytes.
  encoded.sort((a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]));
  return encoded.map(([name, value]) => `${name}=${value}`).join('&');
}

export function signedNames(headers: readonly Pair[]): string {
  return headers.map(([name]) => name).join(';');
}

/** Percent-encodes all but `A-Z a-z 0-9 - . _ ~`, as UTF-8. */
function encodeText(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Like `encodeText`, but slashes stay. */
export function encodePath(path: string): string {
  if (/^[\w.~/-]*$/.test(path)) return path;
  return encodeText(path).replaceAll('%2F', '/');
}

/**
 * Name and value of every parameter, decoded, in the order of the URL. A plus sign is a space, as in forms.
 *
 * @throws {URIError} when the query is not valid percent-encoded UTF-8.
 */
export function parseQuery(query: string): Pair[] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [decodeFormText(name), decodeFormText(value)];
    });
}

/** A header's values as one: trimmed, runs of blanks as one blank, joined by commas. */
export function canonicalValue(values: readonly string[]): string {
  return values.map((value) => headerText(value).trim().replace(/ {2,}/g, ' ')).join(',');
}

/** `20130524T000000Z`: what SigV4 calls a timestamp. Fractions of a second are dropped. */
export function formatTime(time: Date): string {
  return `${time.toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
}

/** Null when `text` is no such timestamp. */
export function parseTime(text: string): Date | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Node reads header bytes as Latin-1. Most clients hash the UTF-8 that they sent, some the text that they sent as
 * Latin-1: bytes that are valid UTF-8 are read as such, others stay.
 */
function headerText(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

export interface Scope {
  /** `yyyymmdd`. */
  readonly day: string;
  readonly region: string;
}

/** A day has one key per secret and region; a server of many tenants stays far below this. */
const maxKept = 512;
const cachedKeys = new Map<string, KeyObject>();

/**
 * The key that signs one day's requests in one region: four rounds of HMAC over the secret, cached for the next call.
 *
 * @see Amazon S3 API Reference, "Calculating a signature", `SigningKey`.
 */
export function signingKey(secretAccessKey: string, { day, region }: Scope): KeyObject {
  const name = `${day}/${region}/${secretAccessKey}`;
  const known = cachedKeys.get(name);
  if (known !== undefined) return known;
  const dayKey = hmac(`AWS4${secretAccessKey}`, day);
  // A key object, not bytes: Node takes it five times as fast.
  const key = createSecretKey(hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request'));
  // Oldest first out: a Map keeps the order of insertion.
  if (cachedKeys.size >= maxKept) cachedKeys.delete(cachedKeys.keys().next().value!);
  cachedKeys.set(name, key);
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

/** Equal texts? The time depends on their lengths alone. */
export function equalText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
