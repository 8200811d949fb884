/**
 * `Expect: 100-continue`: clients with a large body ask first whether it will be taken. Node.js would say yes at once;
 * here the answer waits until the caller is known, and the S3 API gives its own.
 */

import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

const waiting = new WeakSet<IncomingMessage>();

/** Brings such requests the way of all others, with a note. */
export function noteExpectations(server: Server, handler: RequestListener): void {
  server.on('checkContinue', (request: IncomingMessage, response) => {
    waiting.add(request);
    handler(request, response);
  });
}

/** Asks for the body once the caller was let in, on every route that does not do it itself. */
export function answerExpectations(server: FastifyInstance): void {
  server.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config.access === 'urlSignature') return;
    if (takeExpectation(request.raw)) reply.raw.writeContinue();
  });
}

/** True once for a request whose client waits for a word before it sends its body. */
export function takeExpectation(request: IncomingMessage): boolean {
  return waiting.delete(request);
}
