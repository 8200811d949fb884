/**
 * ListObjectsV2. Names of files say nothing about keys, so that a listing reads the tail of every object: fit for
 * people and repairs, not for the service's own work, which never lists.
 */

import type { ObjectFiles } from '../files/object-files.ts';
import type { ObjectRecord } from '../files/record.ts';
import { Refusal } from '../refusal.ts';
import { encodePath } from '../signature/canonical.ts';
import type { Call } from './call.ts';
import { type Element, sendXml } from './xml.ts';

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
}

export async function listObjects({ query, files, bucket, response }: Call): Promise<void> {
  const wanted = readWanted(query);
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url') {
    throw new Refusal('InvalidArgument', 'encoding-type can only be url.');
  }
  const text = encoding === 'url' ? encodePath : (plain: string) => plain;
  const page = await readPage(files, wanted);
  const token = query.get('continuation-token');
  const last = page.entries.at(-1);
  const elements: Element[] = [
    ['Name', bucket],
    ['Prefix', text(wanted.prefix)],
    ['MaxKeys', String(wanted.limit)],
    ['KeyCount', String(page.entries.length)],
    ['IsTruncated', String(page.isTruncated)],
  ];
  if (wanted.delimiter !== '') elements.push(['Delimiter', text(wanted.delimiter)]);
  if (encoding !== undefined) elements.push(['EncodingType', encoding]);
  if (token !== undefined) elements.push(['ContinuationToken', token]);
  if (page.isTruncated && last !== undefined) {
    elements.push(['NextContinuationToken', encodeToken(last.name)]);
  }
  elements.push(...page.entries.map((entry) => entryElement(entry, text)));
  sendXml(response, 200, ['ListBucketResult', elements]);
}

function readWanted(query: ReadonlyMap<string, string>): Wanted {
  const limitText = query.get('max-keys') ?? String(maxPage);
  if (!/^\d{1,9}$/.test(limitText)) {
    throw new Refusal('InvalidArgument', 'max-keys must be a number.');
  }
  const token = query.get('continuation-token');
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after: token === undefined ? (query.get('start-after') ?? '') : decodeToken(token),
    limit: Math.min(Number(limitText), maxPage),
  };
}

async function readPage(files: ObjectFiles, wanted: Wanted): Promise<Page> {
  const entries = new Map<string, Entry>();
  for await (const record of files.records()) {
    const entry = entryOf(record, wanted);
    if (entry !== null) entries.set(entry.name, entry);
  }
  const sorted = [...entries.values()].toSorted((a, b) => compareBytes(a.name, b.name));
  return { entries: sorted.slice(0, wanted.limit), isTruncated: sorted.length > wanted.limit };
}

function entryOf(record: ObjectRecord, { prefix, delimiter, after }: Wanted): Entry | null {
  const { key } = record;
  if (!key.startsWith(prefix)) return null;
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  const entry: Entry =
    at < 0 ? { name: key, record } : { name: key.slice(0, at + delimiter.length), record: null };
  return after === '' || compareBytes(entry.name, after) > 0 ? entry : null;
}

function entryElement({ name, record }: Entry, text: (plain: string) => string): Element {
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
