/**
 * The bucket's CORS rules, one of which is ours and bears our name. The others are somebody's too, and stay.
 *
 * @see Amazon S3 API Reference, "PutBucketCors".
 */

import { createHash } from 'node:crypto';
import { ForensicsError } from '../../errors.ts';
import { gather } from '../remote/gather.ts';
import type { CorsOutcome } from '../store.ts';
import { drain, type S3Client } from './client.ts';

const ruleId = 'forensics';
const maxRulesBytes = 65_536;
const [ruleStart, ruleEnd] = ['<CORSRule>', '</CORSRule>'];

export async function applyCorsRules(
  client: S3Client,
  origins: readonly string[],
): Promise<CorsOutcome> {
  try {
    const others = (await readRules(client)).filter((rule) => !rule.includes(`<ID>${ruleId}</ID>`));
    const ours = origins.length === 0 ? [] : [ruleFor(origins)];
    await writeRules(client, [...others, ...ours]);
    return { applied: true };
  } catch (error) {
    if (error instanceof ForensicsError) return { applied: false, reason: error.message };
    throw error;
  }
}

async function readRules(client: S3Client): Promise<readonly string[]> {
  return client.send<readonly string[]>(
    { method: 'GET', query: 'cors' },
    async (answer) => rulesIn((await gather(answer, maxRulesBytes)).toString()),
    ({ code, failure }) => {
      if (code === 'NoSuchCORSConfiguration') return [];
      throw failure;
    },
  );
}

/** In linear time: the text is a stranger's. */
export function rulesIn(text: string): readonly string[] {
  return text
    .split(ruleEnd)
    .slice(0, -1)
    .map((part) => ({ part, at: part.indexOf(ruleStart) }))
    .filter(({ at }) => at !== -1)
    .map(({ part, at }) => part.slice(at) + ruleEnd);
}

async function writeRules(client: S3Client, rules: readonly string[]): Promise<void> {
  if (rules.length === 0) {
    // S3 takes no empty list.
    await client.send({ method: 'DELETE', query: 'cors' }, drain);
    return;
  }
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const body = Buffer.from(
    `<CORSConfiguration xmlns="${namespace}">${rules.join('')}</CORSConfiguration>`,
  );
  const digest = createHash('md5').update(body).digest('base64');
  const headers = { 'content-type': 'application/xml', 'content-md5': digest };
  await client.send({ method: 'PUT', query: 'cors', headers, body }, drain);
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
