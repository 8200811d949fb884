/**
 * Who is asking, found out before a byte of the body is read. A route that says nothing about access needs a key: to
 * open one to everybody takes a word in its own file.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../access/principal.ts';
import type { App } from '../app.ts';
import { ForensicsError } from '../errors.ts';

/** `everyone` needs nothing; `urlSignature` is checked by the store's own door; `tenant` needs a key of a tenant. */
export type Access = 'everyone' | 'urlSignature' | 'tenant';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Set on routes with access `tenant`, before validation. */
    principal: Principal | null;
    /** Set on routes with access `tenant`, after validation; the tenant that `tenantName` means. */
    tenantId: string | null;
  }
}

export function authenticateRequests(
  server: FastifyInstance,
  { keys, tenants }: Pick<App, 'keys' | 'tenants'>,
): void {
  server.decorateRequest('principal', null);
  server.decorateRequest('tenantId', null);
  server.addHook('onRequest', async (request) => {
    if (accessOf(request) !== 'tenant') return;
    const { principal } = await keys.authenticate(request.headers.authorization);
    request.principal = principal;
  });
  server.addHook('preHandler', async (request) => {
    if (accessOf(request) !== 'tenant') return;
    const tenant = await tenants.authorizeTenant(principalOf(request), tenantNameOf(request));
    request.tenantId = tenant.id;
  });
}

/** The caller of a route with access `tenant`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new TypeError('This route does not authenticate.');
  return request.principal;
}

export function tenantIdOf(request: FastifyRequest): string {
  if (request.tenantId === null) throw new TypeError('This route does not authorize a tenant.');
  return request.tenantId;
}

function accessOf(request: FastifyRequest): Access {
  if (request.is404) return 'everyone';
  return request.routeOptions.config.access ?? 'tenant';
}

// Query for reads, body for the rest; the schemas of both demand it, this is for a route that forgot to.
function tenantNameOf(request: FastifyRequest): string {
  for (const part of [request.body, request.query]) {
    const name = (part as { tenantName?: unknown } | null | undefined)?.tenantName;
    if (typeof name === 'string') return name;
  }
  throw new ForensicsError('invalid_request', 'tenantName is missing; it must be a text.');
}
