/** ListMultipartUploads of a bucket, and ListParts of one upload. */

import type { Part } from '../multipart/part-files.ts';
import type { Upload, Uploads } from '../multipart/uploads.ts';
import type { Call } from './call.ts';
import { uploadOfCall } from './multipart.ts';
import {
  type Coding,
  type Entry,
  echoOf,
  limitOf,
  type Listed,
  numberOf,
  type Page,
  type Query,
  readPage,
  textCoding,
} from './pages.ts';
import { type Element, sendXml } from './xml.ts';

export async function listUploads({ query, uploads, bucket, response }: Call): Promise<void> {
  const text = textCoding(query);
  const prefix = query.get('prefix') ?? '';
  const limit = limitOf(query, 'max-uploads');
  const page = await readPage(listed(uploads), {
    prefix,
    delimiter: query.get('delimiter') ?? '',
    after: markerOf(query),
    limit,
  });
  sendXml(response, 200, [
    'ListMultipartUploadsResult',
    [
      ['Bucket', bucket],
      ['KeyMarker', text(query.get('key-marker') ?? '')],
      ['UploadIdMarker', query.get('upload-id-marker') ?? ''],
      ['Prefix', text(prefix)],
      ['MaxUploads', String(limit)],
      ['IsTruncated', String(page.next !== null)],
      ...echoOf(query, 'delimiter', 'Delimiter', text),
      ...echoOf(query, 'encoding-type', 'EncodingType'),
      ...nextMarkers(page, text),
      ...page.entries.map((entry) => uploadElement(entry, text)),
    ],
  ]);
}

async function* listed(uploads: Uploads): AsyncGenerator<Listed<Upload>> {
  for await (const item of uploads.all()) yield { key: item.key, id: item.id, item };
}

/** Without an id the whole key has been told: no id comes after a tilde. */
function markerOf(query: Query): { readonly key: string; readonly id: string } {
  return { key: query.get('key-marker') ?? '', id: query.get('upload-id-marker') || '~' };
}

function nextMarkers({ next }: Page<Upload>, text: Coding): Element[] {
  if (next === null) return [];
  return [
    ['NextKeyMarker', text(next.name)],
    ['NextUploadIdMarker', next.id],
  ];
}

function uploadElement({ name, item }: Entry<Upload>, text: Coding): Element {
  if (item === null) return ['CommonPrefixes', [['Prefix', text(name)]]];
  return [
    'Upload',
    [
      ['Key', text(name)],
      ['UploadId', item.id],
      ['StorageClass', 'STANDARD'],
      ['Initiated', item.startedAt.toISOString()],
    ],
  ];
}

export async function listParts(call: Call): Promise<void> {
  const { query, uploads, bucket, key, response } = call;
  const text = textCoding(query);
  const limit = limitOf(query, 'max-parts');
  const marker = numberOf(query, 'part-number-marker') ?? 0;
  const upload = await uploadOfCall(call);
  const rest = (await uploads.parts(upload)).filter(({ number }) => number > marker);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const isTruncated = last !== undefined && rest.length > page.length;
  sendXml(response, 200, [
    'ListPartsResult',
    [
      ['Bucket', bucket],
      ['Key', text(key)],
      ['UploadId', upload.id],
      ['StorageClass', 'STANDARD'],
      ['PartNumberMarker', String(marker)],
      ...(isTruncated ? [['NextPartNumberMarker', String(last.number)] as const] : []),
      ['MaxParts', String(limit)],
      ['IsTruncated', String(isTruncated)],
      ...page.map(partElement),
    ],
  ]);
}

function partElement({ number, sizeBytes, md5, createdAt }: Part): Element {
  return [
    'Part',
    [
      ['PartNumber', String(number)],
      ['LastModified', createdAt.toISOString()],
      ['ETag', `"${md5}"`],
      ['Size', String(sizeBytes)],
    ],
  ];
}
