/**
 * Mounts the embedded store's S3 API: raw streams in and out, guarded by the signature in the URL. Nothing of it is
 * parsed, buffered or documented here.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { takeExpectation } from '../expectation.ts';

// A wildcard, not a named parameter: those are refused above 100 characters, and object keys may be longer.
const paths = ['/:bucket(^b-[0-9a-f]{24}$)', '/:bucket(^b-[0-9a-f]{24}$)/*'];

export async function blobRoutes(
  server: FastifyInstance,
  { s3Api }: Pick<App, 's3Api'>,
): Promise<void> {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // A hijacked answer knows nothing of Fastify's headers. The S3 API sets its own; these two are the server's.
    for (const name of ['x-request-id', 'strict-transport-security']) {
      const value = reply.getHeader(name);
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.hijack();
    const handle = takeExpectation(request.raw) ? s3Api.handleExpectation : s3Api.handle;
    await handle(request.raw, reply.raw);
  };
  for (const url of paths) {
    server.route({
      method: ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'OPTIONS'],
      url,
      config: { access: 'urlSignature' },
      schema: { hide: true },
      handler,
    });
  }
}
