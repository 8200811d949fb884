import type { ServerResponse } from 'node:http';
import type { OpenObject } from '../embedded/object-files.ts';
import type { ObjectRecord } from '../embedded/record.ts';
import { S3Error } from './errors.ts';
import { isNotModified, type Range, readRange, type Validators } from './headers.ts';
import { type ObjectRequest, sendPaced } from './request.ts';

/** What a browser may show in place. Everything else is offered as a download. */
const shownInline = ['image/jpeg', 'image/png'];

/** GET and HEAD object. */
export async function getObject(get: ObjectRequest): Promise<void> {
  const object = await get.objects.open(get.key);
  if (object === null) throw new S3Error('NoSuchKey');
  try {
    await sendObject(get, object);
  } finally {
    await object.close();
  }
}

async function sendObject(get: ObjectRequest, object: OpenObject): Promise<void> {
  const { request, response, limits } = get;
  const { record } = object;
  const validators = { etag: `"${record.etag}"`, modifiedAt: record.createdAt };
  const isKnown = isNotModified(request, validators);
  const range = isKnown ? null : requestedRange(get, record, validators);
  const part = range ?? { start: 0, length: record.sizeBytes };
  const blocks = object.bytes(part.start, part.length);
  const hasBody = request.method !== 'HEAD' && !isKnown;
  // Before the first byte is on its way, damage can still be reported properly; later only by closing the connection.
  const first = hasBody ? await blocks.next() : null;

  setHeaders(response, { etag: validators.etag, 'last-modified': record.createdAt.toUTCString() });
  response.statusCode = isKnown ? 304 : range === null ? 200 : 206;
  if (!isKnown) {
    setHeaders(response, { ...headersOf(record), 'content-length': String(part.length) });
  }
  if (range !== null) setHeaders(response, { 'content-range': rangeText(range, record) });
  if (first === null) response.end();
  else await sendPaced(resume(first, blocks), response, limits.idleTimeoutMs);
}

function requestedRange(
  get: ObjectRequest,
  record: ObjectRecord,
  validators: Validators,
): Range | null {
  try {
    return readRange(get.request, record.sizeBytes, validators);
  } catch (error) {
    setHeaders(get.response, { 'content-range': `bytes */${record.sizeBytes}` });
    throw error;
  }
}

function rangeText({ start, length }: Range, { sizeBytes }: ObjectRecord): string {
  return `bytes ${start}-${start + length - 1}/${sizeBytes}`;
}

function headersOf(record: ObjectRecord): Record<string, string> {
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': shownInline.includes(record.contentType) ? 'inline' : 'attachment',
    ...record.headers,
    'content-type': record.contentType,
  };
}

function setHeaders(response: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** The block that was read already, and those that follow. */
async function* resume(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
