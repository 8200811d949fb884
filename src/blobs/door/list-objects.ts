/**
 * ListObjectsV2 and its elder, ListObjects. Names of files say nothing about keys, so that a listing reads the tail of every object: fit for
 * people and repairs, not for the service's own work, which never lists.
 */

import type { ObjectFiles } from '../files/object-files.ts';
import type { ObjectRecord } from '../files/record.ts';
import { Refusal } from '../refusal.ts';
import { encodePath } from '../signature/canonical.ts';
import type { Call } from './call.ts';
import { type Element, sendXml } from './xml.ts';

type Query = ReadonlyMap<string, string>;
type Coding = (plain: string) => string;

const maxPage = 1000;

interface Wanted {
  readonly prefix: string;
  readonly delimiter: string;
  /** Only what comes after this in the order of bytes. */
  readonly after: string;
  readonly limit: number;
}

/** A key with its object, or, where a delimiter is used, the common beginning of several. */
interface Entry {
  readonly name: string;
  readonly record: ObjectRecord | null;
}

interface Page {
  readonly entries: readonly Entry[];
  readonly isTruncated: boolean;
  /** The name after which the next page begins. */
  readonly next: string | null;
}

export async function listObjects({ query, files, bucket, response }: Call): Promise<void> {
  const wanted = readWanted(query);
  const text = textCoding(query);
  const page = await readPage(files, wanted);
  sendXml(response, 200, [
    'ListBucketResult',
    [
      ['Name', bucket],
      ['Prefix', text(wanted.prefix)],
      ['MaxKeys', String(wanted.limit)],
      ['IsTruncated', String(page.isTruncated)],
      ...echoOf(query, 'delimiter', 'Delimiter', text),
      ...echoOf(query, 'encoding-type', 'EncodingType'),
      ...(isSecondVersion(query)
        ? placeInPages(query, page, text)
        : placeOfMarker(query, page, text)),
      ...page.entries.map((entry) => entryElement(entry, text)),
    ],
  ]);
}

/** ListObjectsV2 goes on from a token. */
function placeInPages(query: Query, { entries, next }: Page, text: Coding): Element[] {
  return [
    ['KeyCount', String(entries.length)],
    ...echoOf(query, 'continuation-token', 'ContinuationToken'),
    ...echoOf(query, 'start-after', 'StartAfter', text),
    ...(next === null ? [] : [['NextContinuationToken', encodeToken(next)] as const]),
  ];
}

/** ListObjects, the elder, goes on from the name itself. */
function placeOfMarker(query: Query, { next }: Page, text: Coding): Element[] {
  const marker: Element = ['Marker', text(query.get('marker') ?? '')];
  return next === null ? [marker] : [marker, ['NextMarker', text(next)]];
}

function echoOf(query: Query, parameter: string, name: string, text?: Coding): Element[] {
  const value = query.get(parameter);
  return value === undefined || value === '' ? [] : [[name, text?.(value) ?? value]];
}

function isSecondVersion(query: Query): boolean {
  return query.get('list-type') === '2';
}

function textCoding(query: Query): Coding {
  const encoding = query.get('encoding-type');
  if (encoding === undefined) return (plain) => plain;
  if (encoding === 'url') return encodePath;
  throw new Refusal('InvalidArgument', 'encoding-type can only be url.');
}

function readWanted(query: Query): Wanted {
  const limitText = query.get('max-keys') ?? String(maxPage);
  if (!/^\d{1,9}$/.test(limitText)) {
    throw new Refusal('InvalidArgument', 'max-keys must be a number.');
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after: afterOf(query),
    limit: Math.min(Number(limitText), maxPage),
  };
}

function afterOf(query: Query): string {
  if (!isSecondVersion(query)) return query.get('marker') ?? '';
  const token = query.get('continuation-token');
  return token === undefined ? (query.get('start-after') ?? '') : decodeToken(token);
}

async function readPage(files: ObjectFiles, wanted: Wanted): Promise<Page> {
  const entries = new Map<string, Entry>();
  for await (const record of files.records()) {
    const entry = entryOf(record, wanted);
    if (entry !== null) entries.set(entry.name, entry);
  }
  const sorted = [...entries.values()].toSorted((a, b) => compareBytes(a.name, b.name));
  const page = sorted.slice(0, wanted.limit);
  // A page of no entries has no successor: S3 says the same of max-keys=0.
  const isTruncated = page.length > 0 && sorted.length > page.length;
  return { entries: page, isTruncated, next: isTruncated ? page.at(-1)!.name : null };
}

function entryOf(record: ObjectRecord, { prefix, delimiter, after }: Wanted): Entry | null {
  const { key } = record;
  if (!key.startsWith(prefix)) return null;
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  const entry: Entry =
    at < 0 ? { name: key, record } : { name: key.slice(0, at + delimiter.length), record: null };
  // After a common beginning all that begins so has been told.
  const isTold = after !== '' && (compareBytes(key, after) <= 0 || entry.name === after);
  return isTold ? null : entry;
}

function entryElement({ name, record }: Entry, text: Coding): Element {
  if (record === null) return ['CommonPrefixes', [['Prefix', text(name)]]];
  return [
    'Contents',
    [
      ['Key', text(name)],
      ['LastModified', record.createdAt.toISOString()],
      ['ETag', `"${record.md5}"`],
      ['Size', String(record.sizeBytes)],
      ['StorageClass', 'STANDARD'],
    ],
  ];
}

/** S3 sorts keys by their bytes; JavaScript's own order differs outside the basic plane. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function encodeToken(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString('utf8');
}
