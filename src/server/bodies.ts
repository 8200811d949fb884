/** What a body may cost before anybody looks at it: few bytes, little time. The S3 API has limits of its own. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ForensicsError } from '../errors.ts';
import { sendFailure } from './answers.ts';

/** Two tokens of an identity provider, the most that anybody sends who has not said who he is, are half of it. */
export const bodyLimitBytes = 64 * 1024;
/** For routes that know their caller and take what people wrote, or a tenant with all its keys back. */
export const longBodyLimitBytes = 1024 * 1024;

// What a caller may do is looked up before his body comes; this is also how old that answer can be.
const bodyTimeoutMs = 30_000;

/** @param timeoutMs - counted from the headers on. */
export function guardBodies(server: FastifyInstance, timeoutMs = bodyTimeoutMs): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request) || request.routeOptions.config.access === 'urlSignature') return;
    const timer = setTimeout(() => endSlow(request, reply), timeoutMs).unref();
    request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** @see RFC 9112, section 6: one of the two headers stands for a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlow({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  // Answered already, without the body.
  if (reply.sent) return void raw.destroy();
  const failure = new ForensicsError('invalid_request', 'The request did not arrive in time.');
  void reply.header('connection', 'close');
  void sendFailure(reply, failure, 408);
}
