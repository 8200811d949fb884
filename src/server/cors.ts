/** Which pages of other origins may call the interface: none, unless the operator names them. Objects have rules of their own. */

import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const exposedHeaders = [
  'x-request-id',
  'x-error-code',
  'x-total-count',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];
/** Seconds for which a browser may keep the answer to its preflight. */
const maxAge = 3600;

export async function allowOrigins(
  server: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  // The package answers OPTIONS on a route of its own; what is no preflight goes on to the answer with `Allow`.
  server.addHook('onRoute', (route) => {
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { access: 'everyone' };
  });
  const rules = {
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key'],
    exposedHeaders,
    maxAge,
    // Keys and tokens travel in a header that the page sets; cookies are never requested.
    credentials: false,
  };
  await server.register(cors, {
    delegator: (request, callback) =>
      callback(null, { ...rules, origin: isCrossOrigin(request) ? [...origins] : false }),
  });
}

function isCrossOrigin({ headers, method, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.access === 'urlSignature') return false;
  const isPreflight = headers['access-control-request-method'] !== undefined;
  return headers.origin !== undefined && (method !== 'OPTIONS' || isPreflight);
}
