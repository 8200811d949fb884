import type { FastifyInstance } from 'fastify';

/**
 * For routes that know no body: clients that always say `Content-Type: application/json` are not refused for sending
 * nothing, and what is sent all the same is read, within the limit, and forgotten.
 */
export function ignoreBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}
