/** The client's side of header signing, built from parts that are held against the published examples. */

import {
  canonicalQuery,
  canonicalRequest,
  encodePath,
  formatTime,
  hmacHex,
  type Pair,
  scopeText,
  signingKey,
  stringToSign,
} from '../../../../src/ports/storage/sigv4/canonical.ts';
import { parseTarget } from '../../../../src/ports/storage/sigv4/parse.ts';
import { bucket, keys, region, type S3ApiServer } from './s3-api-server.ts';

export interface SignedHeaders {
  readonly headers: Record<string, string>;
}

export function signHeaders(
  server: S3ApiServer,
  method: string,
  target: string,
  more: Record<string, string>,
): SignedHeaders {
  const { accessKeyId, secretAccessKey } = keys.credentialsFor(bucket);
  const time = formatTime(new Date());
  const headers: Record<string, string> = {
    host: `127.0.0.1:${server.port}`,
    'x-amz-date': time,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    ...more,
  };
  const pairs: Pair[] = Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const scope = { day: time.slice(0, 8), region };
  const { path, query } = parseTarget(target);
  const payload = headers['x-amz-content-sha256']!;
  const canonical = canonicalRequest({
    method,
    path: encodePath(path),
    query: canonicalQuery(query),
    headers: pairs,
    payload,
  });
  const key = signingKey(secretAccessKey, scope);
  const signature = hmacHex(key, stringToSign(time, scopeText(scope), canonical));
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scopeText(scope)}, ` +
    `SignedHeaders=${pairs.map(([name]) => name).join(';')}, Signature=${signature}`;
  return { headers: { ...headers, authorization } };
}
