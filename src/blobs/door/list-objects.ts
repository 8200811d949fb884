/**
 * ListObjectsV2 and its elder, ListObjects. Names of files say nothing about keys, so that a listing reads the tail of
 * every object, ten thousand in half a second: fit for people and repairs, not for the service's own work, which never
 * lists.
 */

import type { ObjectFiles } from '../files/object-files.ts';
import type { ObjectRecord } from '../files/record.ts';
import type { Call } from './call.ts';
import {
  type Coding,
  type Entry,
  echoOf,
  limitOf,
  type Listed,
  type Page,
  type Query,
  readPage,
  textCoding,
  type Wanted,
} from './pages.ts';
import { type Element, sendXml } from './xml.ts';

export async function listObjects({ query, objects, bucket, response }: Call): Promise<void> {
  const wanted = readWanted(query);
  const text = textCoding(query);
  const page = await readPage(listed(objects), wanted);
  sendXml(response, 200, [
    'ListBucketResult',
    [
      ['Name', bucket],
      ['Prefix', text(wanted.prefix)],
      ['MaxKeys', String(wanted.limit)],
      ['IsTruncated', String(page.next !== null)],
      ...echoOf(query, 'delimiter', 'Delimiter', text),
      ...echoOf(query, 'encoding-type', 'EncodingType'),
      ...(isSecondVersion(query)
        ? placeInPages(query, page, text)
        : placeOfMarker(query, page, text)),
      ...page.entries.map((entry) => entryElement(entry, text)),
    ],
  ]);
}

async function* listed(objects: ObjectFiles): AsyncGenerator<Listed<ObjectRecord>> {
  for await (const item of objects.records()) yield { key: item.key, id: '', item };
}

/** ListObjectsV2 goes on from a token. */
function placeInPages(query: Query, { entries, next }: Page<unknown>, text: Coding): Element[] {
  return [
    ['KeyCount', String(entries.length)],
    ...echoOf(query, 'continuation-token', 'ContinuationToken'),
    ...echoOf(query, 'start-after', 'StartAfter', text),
    ...(next === null ? [] : [['NextContinuationToken', encodeToken(next.name)] as const]),
  ];
}

/** ListObjects, the elder, goes on from the name itself. */
function placeOfMarker(query: Query, { next }: Page<unknown>, text: Coding): Element[] {
  const marker: Element = ['Marker', text(query.get('marker') ?? '')];
  return next === null ? [marker] : [marker, ['NextMarker', text(next.name)]];
}

function isSecondVersion(query: Query): boolean {
  return query.get('list-type') === '2';
}

function readWanted(query: Query): Wanted {
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after: { key: afterOf(query), id: '' },
    limit: limitOf(query, 'max-keys'),
  };
}

function afterOf(query: Query): string {
  if (!isSecondVersion(query)) return query.get('marker') ?? '';
  const token = query.get('continuation-token');
  return token === undefined ? (query.get('start-after') ?? '') : decodeToken(token);
}

function entryElement({ name, item: record }: Entry<ObjectRecord>, text: Coding): Element {
  if (record === null) return ['CommonPrefixes', [['Prefix', text(name)]]];
  return [
    'Contents',
    [
      ['Key', text(name)],
      ['LastModified', record.createdAt.toISOString()],
      ['ETag', `"${record.etag}"`],
      ['Size', String(record.sizeBytes)],
      ['StorageClass', 'STANDARD'],
    ],
  ];
}

function encodeToken(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString('utf8');
}
