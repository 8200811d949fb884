/** Bodies are JSON in UTF-8. What would be read as something else than was written is refused: it ends up in evidence. */

import type { FastifyInstance } from 'fastify';
import { ForensicsError } from '../errors.ts';

// As the framework writes a type down. RFC 8259 knows no charset, but clients send one, and mean it.
const jsonInUtf8 = /^application\/json(?!.*; charset="(?!utf-?8"))(?:;|$)/i;
// Its escape is the only way to write it. An even number of backslashes before it belongs to itself.
const nul = /(?<!\\)(?:\\\\)*\\u0000/;

/** JSON is the one language: without this a text/plain body would arrive as a string. */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser(
    jsonInUtf8,
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => void parse(request, textOf(body), done),
  );
}

function textOf(body: Buffer): string {
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
