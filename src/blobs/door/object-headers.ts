/** The headers with which an object begins its life: what is kept of them, and what is better refused than forgotten. */

import type { IncomingMessage } from 'node:http';
import { defaultContentType } from '../defaults.ts';
import type { NewObject } from '../files/write-object.ts';
import { Refusal } from '../refusal.ts';
import { oneHeader } from './call.ts';

/** Kept with the object and given back with it, beside `x-amz-meta-*`. */
const keptHeaders = ['cache-control', 'content-disposition', 'content-language', 'expires'];
const maxMetadataBytes = 2048;

/** What a client may ask for and this store does not do: better refused than forgotten. */
const unknownHeaders = [
  /^x-amz-copy-source/,
  /^x-amz-grant-/,
  /^x-amz-if-match-/,
  /^x-amz-object-lock-/,
  /^x-amz-server-side-encryption/,
  /^x-amz-tagging$/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-write-offset-bytes$/,
];
/** Values that change nothing. */
const harmlessValues: Readonly<Record<string, readonly string[]>> = {
  'x-amz-acl': ['private', 'bucket-owner-full-control'],
  'x-amz-storage-class': ['STANDARD'],
};

/** @throws {Refusal} `NotImplemented`, `MetadataTooLarge`. */
export function factsOf(request: IncomingMessage): Pick<NewObject, 'contentType' | 'headers'> {
  checkHeaders(request);
  return {
    contentType: oneHeader(request, 'content-type') || defaultContentType,
    headers: headersToKeep(request),
  };
}

/** @throws {Refusal} `NotImplemented` for what would change the meaning of the request. */
export function checkHeaders(request: IncomingMessage): void {
  for (const [name, value] of Object.entries(request.headers)) {
    const isHarmless = harmlessValues[name]?.includes(String(value)) ?? true;
    if (!isHarmless || unknownHeaders.some((pattern) => pattern.test(name))) {
      throw new Refusal('NotImplemented', `${name}: ${String(value)} is not offered here.`);
    }
  }
}

function headersToKeep(request: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {};
  let metadataBytes = 0;
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    const isMetadata = name.startsWith('x-amz-meta-');
    if (values === undefined || !(isMetadata || keptHeaders.includes(name))) continue;
    kept[name] = values.join(', ');
    if (isMetadata) metadataBytes += name.length + kept[name].length;
  }
  if (metadataBytes > maxMetadataBytes) throw new Refusal('MetadataTooLarge');
  const coding = contentCoding(request);
  return coding === '' ? kept : { ...kept, 'content-encoding': coding };
}

/** Without `aws-chunked`, which is of the transfer, not of the object. */
function contentCoding(request: IncomingMessage): string {
  const codings = (oneHeader(request, 'content-encoding') ?? '').split(',');
  return codings
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'aws-chunked')
    .join(', ');
}
