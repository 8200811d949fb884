import type { ServerResponse } from 'node:http';
import type { OpenObject } from '../files/open-object.ts';
import type { ObjectRecord } from '../files/record.ts';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { isNotModified, type Range, readRange, type Validators } from './conditions.ts';
import { sendPaced } from './pace.ts';

/** What a browser may show in place. All else is offered as a download. */
const shownInline = ['image/jpeg', 'image/png'];

/** Query parameters that replace a header of the answer. Only who holds the key can sign them. */
const overrides: Readonly<Record<string, string>> = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
};

/** GET and HEAD object. */
export async function getObject(call: Call): Promise<void> {
  const object = await call.objects.open(call.key);
  if (object === null) throw new Refusal('NoSuchKey');
  try {
    await answerWith(call, object);
  } finally {
    await object.close();
  }
}

async function answerWith(call: Call, object: OpenObject): Promise<void> {
  const { request, response } = call;
  const { record } = object;
  const validators = { etag: `"${record.etag}"`, modifiedAt: record.createdAt };
  const isKnown = isNotModified(request, validators);
  const range = isKnown ? null : rangeOrRefuse(call, record, validators);
  const headers = headersOf(record, call.query);
  const part = range ?? { start: 0, length: record.sizeBytes };
  const blocks = object.bytes(part.start, part.length);
  const hasBody = request.method !== 'HEAD' && !isKnown;
  // Before the first byte is on its way, damage can still be told properly; later only by cutting the connection.
  const first = hasBody ? await blocks.next() : null;

  setHeaders(response, { etag: validators.etag, 'last-modified': record.createdAt.toUTCString() });
  response.statusCode = isKnown ? 304 : range === null ? 200 : 206;
  if (!isKnown) setHeaders(response, { ...headers, 'content-length': String(part.length) });
  if (range !== null) setHeaders(response, { 'content-range': rangeText(range, record) });
  if (first === null) response.end();
  else await sendPaced(resume(first, blocks), response, call.limits.idleTimeoutMs);
}

function rangeOrRefuse(call: Call, record: ObjectRecord, validators: Validators): Range | null {
  try {
    return readRange(call.request, record.sizeBytes, validators);
  } catch (error) {
    setHeaders(call.response, { 'content-range': `bytes */${record.sizeBytes}` });
    throw error;
  }
}

function rangeText({ start, length }: Range, { sizeBytes }: ObjectRecord): string {
  return `bytes ${start}-${start + length - 1}/${sizeBytes}`;
}

/** @throws {Refusal} `InvalidArgument` when an override is no text for a header. */
function headersOf(
  record: ObjectRecord,
  query: ReadonlyMap<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': shownInline.includes(record.contentType) ? 'inline' : 'attachment',
    ...record.headers,
    'content-type': record.contentType,
  };
  for (const [parameter, name] of Object.entries(overrides)) {
    const value = query.get(parameter);
    if (value === undefined) continue;
    if (!/^[\t\x20-\x7e]*$/.test(value)) {
      throw new Refusal(
        'InvalidArgument',
        `${parameter} holds a character that no header may have.`,
      );
    }
    headers[name] = value;
  }
  return headers;
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
