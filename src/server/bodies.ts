/** What a body may cost before anybody looks at it: few bytes, little time. Uploads of objects have limits of their own. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ForensicsError } from '../errors.ts';
import { sendFailure } from './answers.ts';
import { isAskingFirst } from './transport.ts';

/** Two tokens of an identity provider, the largest body of an unauthenticated request, are half of it. */
export const bodyLimitBytes = 64 * 1024;
/** For routes that know their caller and take what people wrote, or a tenant with all its keys back. */
export const longBodyLimitBytes = 1024 * 1024;

// Permissions are looked up before the body arrives; this is also how old that answer can be.
const bodyTimeoutMs = 30_000;

const tooLate = 408;

/** @param timeoutMs - counted from the headers on. */
export function guardBodies(server: FastifyInstance, timeoutMs = bodyTimeoutMs): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => endSlow(request, reply), timeoutMs).unref();
    request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** More than the largest picture that somebody may send here by mistake. */
const maxDrainBytes = 64 * 1024 * 1024;

/**
 * An answer that comes before its body was read: the rest is read and forgotten, up to a bound. Many clients read nothing
 * before they have sent everything, and closing over unread bytes would reset the connection and lose the answer.
 */
export function drainRefused(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    if (!hasBody(request) || raw.complete || isAskingFirst(raw)) return;
    // One that is too slow already had its time.
    if (reply.statusCode === tooLate) return;
    // The framework sets it for a body that is too large, and Node.js closes at once.
    void reply.removeHeader('connection');
    let drained = 0;
    raw.on('data', (part: Buffer) => {
      drained += part.length;
      if (drained > maxDrainBytes) raw.destroy();
    });
  });
}

/** @see RFC 9112, section 6: one of the two headers stands for a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlow({ raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  // Answered already, without the body.
  if (reply.sent) return void raw.destroy();
  // An upload with a valid signature may take longer.
  if (routeOptions.config.access === 'urlSignature') return;
  const failure = new ForensicsError('invalid_request', 'The request did not arrive in time.');
  void reply.header('connection', 'close');
  void sendFailure(reply, failure, tooLate);
}

// As the framework normalises a type. RFC 8259 defines no charset, but clients send one, and use it.
const jsonInUtf8 = /^application\/json(?!.*; charset="(?!utf-?8"))(?:;|$)/i;
// Its escape is the only way to write it. An even number of backslashes before it belongs to itself.
const nul = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * Bodies are JSON in UTF-8. What would be read as something else than was written is refused: it ends up in evidence.
 *
 * JSON is the one language: without this a text/plain body would arrive as a string.
 */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser(
    jsonInUtf8,
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => void parse(request, decodeText(body), done),
  );
}

function decodeText(body: Buffer): string {
  const text = decoded(body);
  if (!nul.test(text)) return text;
  // Programs that such a text is handed on to end it there.
  throw new ForensicsError('invalid_request', 'No text may hold the character U+0000.');
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new ForensicsError('invalid_request', 'The body is not valid UTF-8.', { cause });
  }
}

/**
 * For routes without a body: clients that always send `Content-Type: application/json` are not refused for sending
 * nothing, and what is sent all the same is read, within the limit, and forgotten.
 */
export function ignoreBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}
