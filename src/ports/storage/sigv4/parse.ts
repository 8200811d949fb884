/**
 * The claims of a request about its own signature, read from the URL or from the Authorization header. Reading proves
 * nothing: `verifyRequest` does.
 */

import { S3Error } from '../s3-server/errors.ts';
import { type Pair, parseQuery, type Scope } from './canonical.ts';

export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

export interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** The timestamp as text: signed as it was sent. */
  readonly time: string;
  readonly signedHeaders: readonly string[];
  /** 64 lower-case hex digits. */
  readonly signature: string;
  /** What was signed in the place of the body's digest. */
  readonly payload: string;
  /** All parameters but the signature itself. */
  readonly query: readonly Pair[];
  /** The lifetime of a presigned URL as it was sent; null for a signed header. */
  readonly expires: string | null;
}

interface Target {
  /** Decoded; starts with a slash. */
  readonly path: string;
  readonly query: readonly Pair[];
}

export const algorithm = 'AWS4-HMAC-SHA256';
export const unsignedPayload = 'UNSIGNED-PAYLOAD';

/**
 * Path and query of a request target such as `/b-0123/k%20ey?x-id=GetObject`.
 *
 * @throws {S3Error} `InvalidURI` when it is not an absolute path of percent-encoded UTF-8.
 */
export function parseTarget(target: string): Target {
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  if (!path.startsWith('/')) throw new S3Error('InvalidURI');
  try {
    return { path: decodeURIComponent(path), query: parseQuery(query) };
  } catch (error) {
    if (error instanceof URIError) throw new S3Error('InvalidURI');
    throw error;
  }
}

/** @throws {S3Error} `AccessDenied` when nothing is signed, a code of the malformed part otherwise. */
export function readClaim(query: readonly Pair[], headers: Headers): Claim {
  const isPresigned = query.some(
    ([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature',
  );
  const authorization = headers['authorization'];
  const hasToken = query.some(([name]) => name === 'X-Amz-Security-Token');
  if (hasToken || headers['x-amz-security-token'] !== undefined) throw new S3Error('InvalidToken');
  if (isPresigned && authorization !== undefined) {
    throw new S3Error('InvalidArgument', 'Sign the URL or the header, not both.');
  }
  if (isPresigned) return claimOfUrl(query, headers);
  if (authorization !== undefined) return claimOfHeader(query, headers, authorization);
  if (query.some(([name]) => name === 'AWSAccessKeyId')) throw oldSignature();
  throw new S3Error('AccessDenied', 'The request is not signed.');
}

function claimOfUrl(query: readonly Pair[], headers: Headers): Claim {
  const one = (name: string) => {
    const values = query.filter(([other]) => other === name);
    if (values.length !== 1) throw wrong(name);
    return values[0]![1];
  };
  if (one('X-Amz-Algorithm') !== algorithm) throw wrong('X-Amz-Algorithm');
  const credential = parseCredential(one('X-Amz-Credential'));
  if (credential === null) throw wrong('X-Amz-Credential');
  const digest = query.find(([name]) => name === 'X-Amz-Content-Sha256')?.[1];
  return {
    ...credential,
    time: one('X-Amz-Date'),
    expires: one('X-Amz-Expires'),
    signedHeaders: parseNames(one('X-Amz-SignedHeaders')),
    signature: one('X-Amz-Signature'),
    payload: digest ?? single(headers, 'x-amz-content-sha256') ?? unsignedPayload,
    query: query.filter(([name]) => name !== 'X-Amz-Signature'),
  };
}

function claimOfHeader(query: readonly Pair[], headers: Headers, values: readonly string[]): Claim {
  const text = values.join(',');
  if (!text.startsWith(`${algorithm} `)) throw oldSignature();
  const fields = new Map(
    text
      .slice(algorithm.length)
      .split(',')
      .map((field) => {
        const at = field.indexOf('=');
        return [field.slice(0, Math.max(at, 0)).trim(), field.slice(at + 1).trim()];
      }),
  );
  const credential = parseCredential(fields.get('Credential') ?? '');
  const names = fields.get('SignedHeaders');
  const signature = fields.get('Signature');
  if (credential === null || names === undefined || signature === undefined || fields.size !== 3) {
    throw new S3Error('AuthorizationHeaderMalformed');
  }
  const payload = single(headers, 'x-amz-content-sha256');
  if (payload === null) throw new S3Error('InvalidRequest', 'Send x-amz-content-sha256.');
  const time = single(headers, 'x-amz-date');
  if (time === null) throw new S3Error('AccessDenied', 'Send x-amz-date.');
  return {
    ...credential,
    time,
    expires: null,
    signedHeaders: parseNames(names),
    signature,
    payload,
    query,
  };
}

function oldSignature(): S3Error {
  return new S3Error('InvalidRequest', `Sign with ${algorithm} (Signature Version 4).`);
}

function wrong(name: string): S3Error {
  return new S3Error(
    'AuthorizationQueryParametersError',
    `${name} is missing, repeated or malformed.`,
  );
}

/** `<access key>/<yyyymmdd>/<region>/s3/aws4_request`. */
function parseCredential(text: string): Pick<Claim, 'accessKeyId' | 'scope'> | null {
  const parts = /^([^/]{1,128})\/(\d{8})\/([\w-]{1,64})\/s3\/aws4_request$/.exec(text);
  if (parts === null) return null;
  return { accessKeyId: parts[1]!, scope: { day: parts[2]!, region: parts[3]! } };
}

function parseNames(text: string): string[] {
  return text.split(';').map((name) => name.toLowerCase());
}

function single(headers: Headers, name: string): string | null {
  const values = headers[name];
  return values?.length === 1 ? values[0]! : null;
}
