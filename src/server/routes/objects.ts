/** Serves the embedded store's objects at presigned URLs, whose signature is the only permission needed. */

import { withinTime } from '../../waiting.ts';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ForensicsError, forbidden, invalidRequest } from '../../contract/errors.ts';
import type { Bucket, OpenObject, SignedMethod } from '../../ports/storage/embedded/embedded.ts';
import type { ObjectRecord } from '../../ports/storage/embedded/object-file.ts';
import { defaultContentType } from '../../ports/storage/store.ts';
import type { EmbeddedObjects } from '../../service/storage.ts';

/** The query is validated together with the signature. */
interface ObjectRoute {
  Params: { readonly bucket: string; readonly '*': string };
  Querystring: { readonly expires?: unknown; readonly signature?: unknown };
}

type ObjectRequest = FastifyRequest<ObjectRoute>;

interface Act {
  readonly request: ObjectRequest;
  readonly reply: FastifyReply;
  readonly objects: Bucket;
  readonly key: string;
  readonly maxObjectBytes: number;
  readonly idleTimeoutMs: number;
}

// A wildcard is used because the router limits a named parameter to 100 characters; object keys may be longer.
const url = '/:bucket(^b-[0-9a-f]{24}$)/*';

/** @param parts.idleTimeoutMs - a client that neither sends nor receives a byte for this long is disconnected. */
export async function objectRoutes(
  server: FastifyInstance,
  parts: EmbeddedObjects & { readonly idleTimeoutMs?: number },
) {
  const { buckets, urls, corsOrigins, idleTimeoutMs = 30_000 } = parts;
  const { maxObjectBytes } = buckets;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      // Pages of other origins may embed a picture, because they need its signed URL anyway.
      'cross-origin-resource-policy': 'cross-origin',
      ...corsHeaders(request, corsOrigins),
    });
  });

  const perform = (signedMethod: SignedMethod, act: (act: Act) => Promise<unknown>) =>
    async function handle(request: ObjectRequest, reply: FastifyReply): Promise<void> {
      const { bucket, '*': key } = request.params;
      urls.verify(signedMethod, { bucket, key }, request.query);
      const objects = buckets.open(bucket);
      try {
        await act({ request, reply, objects, key, maxObjectBytes, idleTimeoutMs });
      } catch (cause) {
        if (!request.raw.destroyed || request.raw.complete) throw cause;
        // The failure is not ours, so it is not logged as one.
        throw new ForensicsError('cancelled', 'The client disconnected.', { cause });
      }
    };
  const options = { config: { access: 'urlSignature' }, schema: { hide: true } } as const;

  server.get<ObjectRoute>(url, { ...options, exposeHeadRoute: false }, perform('GET', getObject));
  server.head<ObjectRoute>(url, options, perform('GET', getObject));
  server.put<ObjectRoute>(url, options, perform('PUT', putObject));
  const deleteObject = perform('DELETE', async ({ reply, objects, key }) => {
    await objects.remove(key);
    await reply.code(204).send();
  });
  server.delete<ObjectRoute>(url, options, deleteObject);
  server.options(url, options, answerPreflight);
}

async function putObject(act: Act): Promise<void> {
  const { request, reply, objects, key, maxObjectBytes } = act;
  const length = declaredLength(request);
  if (length !== null && length > maxObjectBytes) {
    const message = `An object can be at most ${maxObjectBytes} bytes long.`;
    throw new ForensicsError('blob_too_large', message);
  }
  const { etag } = await objects.write(key, {
    contentType: request.headers['content-type'] || defaultContentType,
    bytes: body(act),
    beforeCommit({ sizeBytes }) {
      if (length === null || sizeBytes === length) return;
      throw invalidRequest('The length of the body does not match Content-Length.');
    },
  });
  await reply.header('etag', `"${etag}"`).send();
}

class HttpRefusal extends ForensicsError {
  readonly #status: number;

  constructor(status: number, message: string) {
    super('invalid_request', message);
    this.#status = status;
  }

  override get status(): number {
    return this.#status;
  }
}

/** Null for a chunked body. */
function declaredLength({ headers }: ObjectRequest): number | null {
  // RFC 9110, section 14.5: the part would replace the whole object.
  if (headers['content-range'] !== undefined)
    throw invalidRequest('Send the whole object, without Content-Range.');
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  if (headers['transfer-encoding'] !== undefined) return null;
  throw new HttpRefusal(411, 'Send Content-Length, or Transfer-Encoding: chunked.');
}

async function* body({ request, reply, idleTimeoutMs }: Act): AsyncGenerator<Uint8Array> {
  // Stays open when the reader stops early, so that a response can still be sent.
  const iterator = request.raw.iterator({ destroyOnReturn: false });
  let isPending = false;
  try {
    for (;;) {
      isPending = true;
      const next: Promise<IteratorResult<Uint8Array>> = iterator.next();
      const step = await withinTime(next, idleTimeoutMs, () => {
        throw new HttpRefusal(408, 'The body did not arrive in time.');
      });
      isPending = false;
      if (step.done === true) return;
      yield step.value;
    }
  } catch (error) {
    if (error instanceof HttpRefusal) void reply.header('connection', 'close');
    throw error;
  } finally {
    // Ending an iterator waits for its pending step, which may never end.
    if (!isPending) await iterator.return?.();
  }
}

async function getObject(act: Act): Promise<void> {
  const object = await act.objects.open(act.key);
  if (object === null) throw new ForensicsError('blob_not_found', 'No object has this key.');
  try {
    await sendObject(act, object);
  } finally {
    await object.close();
  }
}

/** Types that a browser may display. Everything else is served as a download. */
const shownInline = ['image/jpeg', 'image/png'];

async function sendObject({ request, reply, idleTimeoutMs }: Act, object: OpenObject) {
  const { record } = object;
  const { sizeBytes, contentType } = record;
  const facts = {
    'cache-control': 'private, no-cache',
    etag: `"${record.etag}"`,
    'last-modified': record.createdAt.toUTCString(),
  };
  if (isKnown(request.headers, record)) return reply.code(304).headers(facts).send();
  const range = requestedRange(request.headers, record);
  if (range?.length === 0) {
    void reply.header('content-range', `bytes */${sizeBytes}`);
    throw new HttpRefusal(416, 'The range is outside the object.');
  }
  const { start, length } = range ?? { start: 0, length: sizeBytes };
  const blocks = object.bytes(start, length);
  // Read before anything is sent, while damage can still be reported; after that, the connection can only be cut.
  const first = request.method === 'HEAD' ? null : await blocks.next();
  const partHeaders = { 'content-range': `bytes ${start}-${start + length - 1}/${sizeBytes}` };
  void reply.code(range === null ? 200 : 206).headers({
    ...facts,
    'accept-ranges': 'bytes',
    'content-disposition': shownInline.includes(contentType) ? 'inline' : 'attachment',
    'content-type': contentType,
    'content-length': length,
    ...(range === null ? {} : partHeaders),
  });
  if (first === null) return reply.send();
  const stalled = setTimeout(() => reply.raw.destroy(), idleTimeoutMs);
  try {
    return await reply.send(Readable.from(resume(first, blocks, () => stalled.refresh())));
  } finally {
    clearTimeout(stalled);
  }
}

function isKnown({ 'if-none-match': tags = '' }: FastifyRequest['headers'], record: ObjectRecord) {
  return tags
    .replaceAll('W/', '')
    .split(',')
    .some((tag) => ['*', `"${record.etag}"`].includes(tag.trim()));
}

/**
 * @returns null if the whole object is to be sent: if there is no range, several or a malformed one, or if `If-Range`
 *   is for another version of the object. The length is 0 if the range contains no byte of the object.
 * @see RFC 9110, section 14
 */
function requestedRange(
  { range = '', 'if-range': ifRange }: FastifyRequest['headers'],
  { sizeBytes, etag }: ObjectRecord,
) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.replaceAll(' ', '')) ?? [];
  const isRange = from === '' ? to !== '' : to === '' || Number(from) <= Number(to);
  const isCurrent = ifRange === undefined || ifRange === `"${etag}"`;
  if (!isRange || !isCurrent) return null;
  const start = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? sizeBytes : Math.min(Number(to) + 1, sizeBytes);
  return { start, length: Math.max(0, end - start) };
}

async function* resume(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterable<Uint8Array>,
  onBlock: () => void,
): AsyncGenerator<Uint8Array> {
  if (first.done !== true) yield first.value;
  for await (const block of rest) {
    onBlock();
    yield block;
  }
}

const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
const exposedHeaders =
  'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, x-error-code, x-request-id';
/** How long, in seconds, a browser may cache the response to its preflight request. */
const preflightMaxAge = 3000;

/** Lets pages of allowed origins read the response, including errors. Cookies are never requested. */
function corsHeaders({ headers }: FastifyRequest, allowed: readonly string[]) {
  const { origin } = headers;
  const isAllowed = origin !== undefined && allowed.some((pattern) => matches(pattern, origin));
  return {
    vary: 'Origin',
    ...(isAllowed && {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposedHeaders,
    }),
  };
}

/** @param pattern - `*`, an origin, or an origin with one `*` in it. */
function matches(pattern: string, origin: string): boolean {
  const [head = '', tail, ...more] = pattern.split('*');
  if (tail === undefined || more.length > 0) return pattern === origin;
  const fits = origin.length >= head.length + tail.length;
  return fits && origin.startsWith(head) && origin.endsWith(tail);
}

async function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const method = headers['access-control-request-method'];
  const isAllowed = reply.hasHeader('access-control-allow-origin');
  if (!isAllowed || method === undefined || !methods.includes(method)) {
    throw forbidden('CORS does not allow this origin or method.');
  }
  const wanted = headers['access-control-request-headers'];
  await reply
    .code(204)
    .headers({
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      'access-control-allow-methods': methods.join(', '),
      ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
      'access-control-max-age': preflightMaxAge,
    })
    .send();
}
