/**
 * AWS Signature Version 4 for S3, both directions: URLs that we sign, requests that others signed. Local arithmetic:
 * it knows no store and asks no server. No error of this file holds a secret or a signature that would be valid.
 *
 * @see Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
 */

import type { StorageUrls } from '../../../contract/analysis.ts';
import { maxPresignedUrlExpirySeconds } from '../../../contract/limits.ts';
import { S3Error } from '../s3-server/errors.ts';
import { checkKey } from '../store.ts';
import {
  canonicalQuery,
  canonicalRequest,
  canonicalRest,
  canonicalValue,
  compareText,
  encodePath,
  equalText,
  formatTime,
  hmacHex,
  type Pair,
  parseTime,
  scopeText,
  signedNames,
  signingKey,
  stringToSign,
} from './canonical.ts';
import {
  algorithm,
  type Claim,
  type Headers,
  parseTarget,
  readClaim,
  unsignedPayload,
} from './parse.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface PresignRequest {
  readonly method: string;
  /** Origin, path and, where wanted, query, percent-encoded. Dots in the path are left alone. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly region: string;
  /** 1..604800. */
  readonly expiresSeconds: number;
  readonly now: Date;
  /** Headers that the user of the URL must send with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface ReceivedRequest<Account extends { readonly secretAccessKey: string }> {
  readonly method: string;
  /** Raw path and query, as they came. */
  readonly target: string;
  /** Lower-case names, every value: `IncomingMessage.headersDistinct`. */
  readonly headers: Headers;
  readonly secretFor: (accessKeyId: string) => Account | null;
  readonly region: string;
  readonly now: Date;
}

interface Verified<Account> {
  readonly account: Account;
  /** The digest of the body that was signed, in lower-case hex; null when the body is not signed. */
  readonly bodySha256: string | null;
}

const maxSkewMs = 15 * 60_000;

/**
 * The URL with which anybody may make this one request until it expires. The body is not signed.
 *
 * @throws {RangeError} when `expiresSeconds` is no whole number from 1 to 604800.
 * @throws {TypeError} when `url` is no absolute URL.
 */
export function presignUrl({ method, url, headers, now, ...rest }: PresignRequest): string {
  const { origin, host, target } = splitUrl(url);
  const { path, query } = parseTarget(target);
  const sign = createUrlSigner({ ...rest, now, query, headers: { ...headers, host } });
  return `${origin}${sign(method, encodePath(path))}`;
}

interface SigningMoment
  extends Pick<PresignRequest, 'credentials' | 'region' | 'expiresSeconds' | 'now'> {
  /** Beside what the signature adds. */
  readonly query: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns path, query and signature. Everything that does not depend on method and path is computed once. */
function createUrlSigner(moment: SigningMoment): (method: string, path: string) => string {
  const { credentials, region, expiresSeconds, now } = moment;
  checkExpiry(expiresSeconds);
  const time = formatTime(now);
  const scope = { day: time.slice(0, 8), region };
  const scoped = scopeText(scope);
  const headers = headerPairs(moment.headers);
  const query = canonicalQuery([
    ...moment.query,
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${credentials.accessKeyId}/${scoped}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(expiresSeconds)],
    ['X-Amz-SignedHeaders', signedNames(headers)],
  ]);
  const rest = canonicalRest({ query, headers, payload: unsignedPayload });
  const key = signingKey(credentials.secretAccessKey, scope);
  return (method, path) => {
    const text = stringToSign(time, scoped, `${method}\n${path}\n${rest}`);
    return `${path}?${query}&X-Amz-Signature=${hmacHex(key, text)}`;
  };
}

/**
 * Who signed this request, and what the signature covers of its body. The signature is checked before anything
 * else that it covers, so that a changed request is always `SignatureDoesNotMatch`, whatever was changed.
 *
 * @throws {S3Error} the S3 error code.
 */
export function verifyRequest<Account extends { readonly secretAccessKey: string }>(
  request: ReceivedRequest<Account>,
): Verified<Account> {
  const { path, query } = parseTarget(request.target);
  const claim = readClaim(query, request.headers);
  const account = request.secretFor(claim.accessKeyId);
  if (account === null) throw new S3Error('InvalidAccessKeyId');
  const key = signingKey(account.secretAccessKey, claim.scope);
  const canonical = canonicalRequest({
    method: request.method,
    path: encodePath(path),
    query: canonicalQuery(claim.query),
    headers: signedHeaders(claim, request.headers),
    payload: claim.payload,
  });
  const scope = scopeText(claim.scope);
  const expected = hmacHex(key, stringToSign(claim.time, scope, canonical));
  if (!equalText(claim.signature, expected)) throw new S3Error('SignatureDoesNotMatch');
  checkCoverage(claim, request.headers);
  checkRegion(claim, request.region);
  checkTime(claim, request.now);
  return { account, bodySha256: signedDigest(claim.payload) };
}

/** @throws {RangeError} when it is no whole number from 1 to 604800. */
export function checkExpiry(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= maxPresignedUrlExpirySeconds) return;
  throw new RangeError(`A presigned URL lives 1 to ${maxPresignedUrlExpirySeconds} seconds.`);
}

function splitUrl(url: string): { origin: string; host: string; target: string } {
  // Not `new URL`: it would resolve the dots of keys such as `a/../b`, which are text to S3.
  const parts = /^(https?:\/\/[^/?#]+)(\/[^#]*)$/.exec(url);
  if (parts === null) throw new TypeError('The URL to sign must be absolute and have a path.');
  const { origin, host } = new URL(parts[1]!);
  return { origin, host, target: parts[2]! };
}

function headerPairs(headers: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(headers)
    .map(([name, value]): Pair => [name.toLowerCase(), canonicalValue([value])])
    .toSorted((a, b) => compareText(a[0], b[0]));
}

function signedHeaders(claim: Claim, headers: Headers): Pair[] {
  return [...new Set(claim.signedHeaders)].toSorted(compareText).map((name) => {
    const values = headers[name];
    if (values === undefined) throw new S3Error('SignatureDoesNotMatch');
    return [name, canonicalValue(values)];
  });
}

/** Who can add an unsigned header must not be able to change what the request means. */
function checkCoverage(claim: Claim, headers: Headers): void {
  const unsigned = Object.keys(headers).filter(
    (name) =>
      (name === 'host' || name.startsWith('x-amz-')) &&
      // Always covered: its value stands in the place of the payload's hash.
      name !== 'x-amz-content-sha256' &&
      !claim.signedHeaders.includes(name),
  );
  // The time of a presigned URL stands in the URL; a header of that name is ignored.
  const harmless = claim.expires === null ? [] : ['x-amz-date'];
  const wrong = unsigned.filter((name) => !harmless.includes(name));
  if (wrong.length === 0 && claim.signedHeaders.includes('host')) return;
  throw new S3Error('AccessDenied', 'The headers host and x-amz-* must be signed.');
}

/** @throws {S3Error} `NotImplemented` for a body in signed chunks, `InvalidArgument` for what is no digest. */
function signedDigest(payload: string): string | null {
  if (payload === unsignedPayload) return null;
  if (/^[0-9a-f]{64}$/.test(payload)) return payload;
  if (payload.startsWith('STREAMING-')) {
    throw new S3Error(
      'NotImplemented',
      `Signed chunks are not supported. Send the whole body with its SHA-256 or ${unsignedPayload}.`,
    );
  }
  throw new S3Error(
    'InvalidArgument',
    `x-amz-content-sha256 must be a SHA-256 in hex or ${unsignedPayload}.`,
  );
}

function checkRegion(claim: Claim, region: string): void {
  if (claim.scope.region === region) return;
  const code =
    claim.expires === null ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError';
  throw new S3Error(code, `The region is wrong; sign for ${region}.`, { Region: region });
}

function checkTime(claim: Claim, now: Date): void {
  const time = parseTime(claim.time);
  if (time === null || claim.time.slice(0, 8) !== claim.scope.day) {
    throw new S3Error('AccessDenied', 'The date of the signature is malformed.');
  }
  const aheadMs = time.getTime() - now.getTime();
  if (claim.expires === null) {
    if (Math.abs(aheadMs) > maxSkewMs) throw new S3Error('RequestTimeTooSkewed');
    return;
  }
  const seconds = /^\d{1,6}$/.test(claim.expires) ? Number(claim.expires) : 0;
  if (seconds < 1 || seconds > maxPresignedUrlExpirySeconds) {
    throw new S3Error(
      'AuthorizationQueryParametersError',
      `X-Amz-Expires must be 1 to ${maxPresignedUrlExpirySeconds} seconds.`,
    );
  }
  if (aheadMs > maxSkewMs) throw new S3Error('AccessDenied', 'The URL is not valid yet.');
  if (-aheadMs > seconds * 1000) throw new S3Error('AccessDenied', 'Request has expired.');
}

interface PresignObject {
  /** Scheme, host and port as clients use them, and the bucket: path style, without a slash at the end. */
  readonly bucketUrl: string;
  readonly key: string;
  readonly now: Date;
}

interface ObjectSigning {
  readonly credentials: Credentials;
  readonly region: string;
  /** 1..604800. */
  readonly expirySeconds: number;
}

/**
 * Signs the three URLs of an object in a bucket, here. A list has many of them in one second: what they share is kept for the
 * next object.
 *
 * @returns a function that throws {ForensicsError} `invalid_request` for a key that is none.
 */
export function createObjectSigner(signing: ObjectSigning): (object: PresignObject) => StorageUrls {
  let last: ReturnType<typeof openSecond> | null = null;
  return ({ bucketUrl, key, now }) => {
    checkKey(key);
    const second = Math.floor(now.getTime() / 1000);
    if (last?.second !== second || last.bucketUrl !== bucketUrl) {
      last = openSecond(signing, bucketUrl, second);
    }
    const { origin, bucketPath, sign, expiresAt } = last;
    const path = `${bucketPath}${encodePath(key)}`;
    return {
      type: 's3',
      objectKey: key,
      putUrl: `${origin}${sign('PUT', path)}`,
      getUrl: `${origin}${sign('GET', path)}`,
      deleteUrl: `${origin}${sign('DELETE', path)}`,
      expiresAt,
    };
  };
}

/** The signature's time has no fraction of a second, so neither has the expiry. */
function openSecond(
  { expirySeconds, ...signing }: ObjectSigning,
  bucketUrl: string,
  second: number,
) {
  const { origin, host, target } = splitUrl(`${bucketUrl}/`);
  const moment = { expiresSeconds: expirySeconds, now: new Date(second * 1000) };
  return {
    second,
    bucketUrl,
    origin,
    bucketPath: encodePath(parseTarget(target).path),
    sign: createUrlSigner({ ...signing, ...moment, query: [], headers: { host } }),
    expiresAt: new Date((second + expirySeconds) * 1000).toISOString(),
  };
}
