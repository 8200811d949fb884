/**
 * The bucket's CORS rules. One is ours and has our id; the others belong to the tenant and stay.
 *
 * @see Amazon S3 API Reference, "PutBucketCors".
 */

import { createHash } from 'node:crypto';
import type { Client } from 'minio';
import { ForensicsError } from '../../../errors.ts';
import { errorCode } from '../remote/errors.ts';
import { gather } from '../remote/probe.ts';
import type { CorsOutcome } from '../store.ts';

const ruleId = 'forensics';
const maxRulesBytes = 65_536;
const [ruleStart, ruleEnd] = ['<CORSRule>', '</CORSRule>'];

interface CorsChange {
  /** Sends a request with retries; throws only a `ForensicsError`. */
  readonly act: <T>(request: (client: Client) => Promise<T>) => Promise<T>;
  readonly bucket: string;
  readonly origins: readonly string[];
}

export async function applyCorsRules({ act, bucket, origins }: CorsChange): Promise<CorsOutcome> {
  try {
    const present = await act((client) => readRules(client, bucket));
    const others = present.filter((rule) => !rule.includes(`<ID>${ruleId}</ID>`));
    const rules = origins.length === 0 ? others : [...others, ruleFor(origins)];
    await act((client) => writeRules(client, bucket, rules));
    return { applied: true };
  } catch (error) {
    if (error instanceof ForensicsError) return { applied: false, reason: error.message };
    throw error;
  }
}

async function readRules(client: Client, bucketName: string): Promise<readonly string[]> {
  try {
    const answer = await client.makeRequestAsync({ method: 'GET', bucketName, query: 'cors' });
    return rulesIn((await gather(answer, maxRulesBytes)).toString());
  } catch (error) {
    const isNone =
      error instanceof ForensicsError && errorCode(error.cause) === 'NoSuchCORSConfiguration';
    if (isNone) return [];
    throw error;
  }
}

/** In linear time, because the text is untrusted. */
export function rulesIn(text: string): readonly string[] {
  return text
    .split(ruleEnd)
    .slice(0, -1)
    .map((part) => ({ part, at: part.indexOf(ruleStart) }))
    .filter(({ at }) => at !== -1)
    .map(({ part, at }) => part.slice(at) + ruleEnd);
}

async function writeRules(
  client: Client,
  bucketName: string,
  rules: readonly string[],
): Promise<void> {
  // S3 refuses an empty list.
  const method = rules.length === 0 ? 'DELETE' : 'PUT';
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const list = `<CORSConfiguration xmlns="${namespace}">${rules.join('')}</CORSConfiguration>`;
  const body = Buffer.from(rules.length === 0 ? '' : list);
  const digest = createHash('md5').update(body).digest('base64');
  const headers = { 'content-type': 'application/xml', 'content-md5': digest };
  const request = { method, bucketName, query: 'cors', headers };
  await client.makeRequestAsyncOmit(request, body, [200, 204]);
}

function ruleFor(origins: readonly string[]): string {
  const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
  return [
    `<CORSRule><ID>${ruleId}</ID>`,
    ...origins.map((origin) => `<AllowedOrigin>${escapeXml(origin)}</AllowedOrigin>`),
    ...methods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
    '<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>',
    '<MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>',
  ].join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
