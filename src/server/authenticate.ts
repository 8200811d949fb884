/**
 * Who is asking, found out before a byte of the body is read. A route that says nothing about access needs a key: to
 * open one to everybody takes a word in its own file.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../access/principal.ts';
import type { Tenant } from '../access/tenants.ts';
import type { Caller } from '../analyses/context.ts';
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
    tenant: Tenant | null;
  }
}

export function authenticateRequests(
  server: FastifyInstance,
  { keys, tenants }: Pick<App, 'keys' | 'tenants'>,
): void {
  server.decorateRequest('principal', null);
  server.decorateRequest('tenant', null);
  server.addHook('onRequest', async (request) => {
    if (accessOf(request) !== 'tenant') return;
    const { principal } = await keys.authenticate(request.headers.authorization);
    request.principal = principal;
  });
  server.addHook('preHandler', async (request) => {
    if (accessOf(request) !== 'tenant') return;
    request.tenant = await tenants.authorizeTenant(principalOf(request), tenantNameOf(request));
  });
}

/** On whose behalf the route with access `tenant` acts. */
export function callerOf(request: FastifyRequest): Caller {
  const { tenant } = request;
  if (tenant === null) throw new TypeError('This route does not authorize a tenant.');
  const key = request.headers['idempotency-key'];
  return {
    principal: principalOf(request),
    tenant,
    idempotencyKey: typeof key === 'string' ? key : null,
  };
}

function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new TypeError('This route does not authenticate.');
  return request.principal;
}

function accessOf(request: FastifyRequest): Access {
  if (request.is404) return 'everyone';
  return request.routeOptions.config.access ?? 'tenant';
}

// Query for reads, body for the rest; the schemas of both demand it, this is for a route that forgot to.
function tenantNameOf(request: FastifyRequest): string {
  for (const part of [request.body, request.query]) {
    if (typeof part !== 'object' || part === null || !('tenantName' in part)) continue;
    if (typeof part.tenantName === 'string') return part.tenantName;
  }
  throw new ForensicsError('invalid_request', 'tenantName is missing; it must be a text.');
}
