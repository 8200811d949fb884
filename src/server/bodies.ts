/** Limits what a request body may cost, and validates it against the schema. Object uploads have their own limits. */

import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Format } from 'typebox/format';
import { hasFewValues, toTime } from '../contract/common.ts';
import { explain, type Schema } from '../contract/explain.ts';
import { ForensicsError, invalidRequest } from '../contract/errors.ts';
import { sendFailure } from './responses.ts';

/** Twice the largest body of an unauthenticated request, which contains two tokens of an identity provider. */
export const bodyLimitBytes = 64 * 1024;
/** The limit for routes that know their caller and accept text written by people, or a tenant with all its keys. */
export const longBodyLimitBytes = 1024 * 1024;

// Permissions are checked before the body arrives, so this also limits how old that check can be.
const bodyTimeoutMs = 30_000;

const tooLate = 408;

/** @param timeoutMs - counted from the arrival of the headers. */
export function guardBodies(server: FastifyInstance, timeoutMs = bodyTimeoutMs): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => endSlow(request, reply), timeoutMs).unref();
    request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** Larger than any picture that somebody may send to a wrong route by mistake. */
const maxDrainBytes = 64 * 1024 * 1024;

/**
 * When a response is sent before the body was read, reads and discards the rest, up to a limit. Many clients read
 * nothing until they have sent everything, and closing a connection with unread bytes would reset it and lose the
 * response.
 */
export function drainRefused(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    if (!hasBody(request) || raw.complete) return;
    // A client that was too slow gets no extra time.
    if (reply.statusCode === tooLate) return;
    // Fastify sets `close` if a body is too large, and some clients ask for it; Node.js would then close at once.
    void reply.header('connection', 'keep-alive');
    if (/close/i.test(request.headers.connection ?? ''))
      raw.once('end', () => setImmediate(() => raw.socket.end()));
    let drained = 0;
    raw.on('data', (part: Buffer) => {
      drained += part.length;
      if (drained > maxDrainBytes) raw.destroy();
    });
  });
}

/** @see RFC 9112, section 6: either header announces a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlow({ raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  // The response has already been sent, without the body.
  if (reply.sent) return void raw.destroy();
  // An upload with a valid signature may take longer.
  if (routeOptions.config.access === 'urlSignature') return;
  const failure = invalidRequest('The request did not arrive in time.');
  void reply.header('connection', 'close');
  void sendFailure(reply, failure, tooLate);
}

// As Fastify normalises it. RFC 8259 defines no charset parameter, but clients send one and rely on it.
const jsonInUtf8 = /^application\/json(?!.*; charset="(?!utf-?8"))(?:;|$)/i;
// U+0000 and half a surrogate pair can only be written as escapes; after an even number of
// backslashes, they are escapes rather than text. Whole pairs are matched first, without the group.
const unstorable = /(?<!\\)(?:\\\\)*(?:\\ud[89ab]..\\ud[c-f]..|\\u(0000|d[89a-f]..))/gi;

/** Only JSON in UTF-8. What would be read differently from how it was written is rejected: it ends up in evidence. */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser(jsonInUtf8, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (/^(?!identity$)/i.test(request.headers['content-encoding'] ?? 'identity')) {
      const message = 'The body must not be compressed: leave out Content-Encoding.';
      throw new ForensicsError('unsupported_media_type', message);
    }
    if (!hasFewValues(body, maxValues)) {
      const message = `The body must contain at most ${maxValues} values.`;
      throw new ForensicsError('body_too_large', message);
    }
    void parse(request, decodeText(body), done);
  });
}

/** Four times what a tenant with all its keys needs. Parsed, `{},` takes twenty times the memory of its text. */
const maxValues = 110_000;

function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw invalidRequest('The body is not valid UTF-8.');
  const text = new TextDecoder().decode(body);
  for (const [, code] of text.matchAll(unstorable)) {
    if (code === undefined) continue;
    // Programs that receive such text would cut it off there, or replace the character.
    throw invalidRequest(`Text must not contain the character U+${code.toUpperCase()}.`);
  }
  return text;
}

/** For routes without a body: accepts clients that always send a JSON content type, and discards what is sent. */
export function ignoreBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}

// Validation against the route's schema. Bodies are taken literally: the string "7" is not 7. Query
// strings contain only text, so digits there are converted to integers first.

// By itself, the format includes leap seconds, which Date cannot represent.
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)));
Format.Set('iso-time', (text) => !Number.isNaN(toTime(text).getTime()));

/** Fastify's validator compiler. Invalid requests get `invalid_request`. */
export function compileValidator(route: { schema: TSchema; httpPart?: string }) {
  const { schema, httpPart } = route;
  const compiled = Compile(schema);
  return (sent: unknown) => {
    const value = httpPart === 'querystring' ? withNumbers(sent, schema) : sent;
    if (compiled.Check(value)) return { value };
    return { error: invalidRequest(explain(compiled.Errors(value), schema)) };
  };
}

function withNumbers(sent: unknown, schema: Schema): unknown {
  const entries = Object.entries(sent ?? {}).map(([name, text]) => {
    const isDigits = typeof text === 'string' && /^-?\d{1,15}$/.test(text);
    return [name, isDigits && schema.properties?.[name]?.type === 'integer' ? Number(text) : text];
  });
  return Object.fromEntries(entries) as unknown;
}
