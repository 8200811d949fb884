/** Authenticates before the body is read. A route is open only to callers of the tenant unless it declares more. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  keyPrefix,
  type Principal,
  settingsScope,
  unauthenticated,
} from '../service/access/principal.ts';
import type { Tenant } from '../service/tenants/tenants.ts';
import type { Caller } from '../service/analyses/context.ts';
import type { Core } from '../service/core.ts';
import { forbidden, invalidRequest } from '../contract/errors.ts';

/** What a route requires; null for a route without authentication. */
export const demands = {
  everyone: null,
  /** The route itself checks the signature. */
  urlSignature: null,
  /** A key of the tenant in `tenantName`, or a user who may act for it. */
  tenant: { isForUsers: false, settings: false, tenant: true },
  tenantSettings: { isForUsers: false, settings: true, tenant: true },
  tenantUser: { isForUsers: true, settings: false, tenant: true },
  /** As `tenantUser`, with the `settings` scope. Not for API keys, which outlive their creator's account. */
  tenantManager: { isForUsers: true, settings: true, tenant: true },
  user: { isForUsers: true, settings: false, tenant: false },
  userSettings: { isForUsers: true, settings: true, tenant: false },
} as const;

export type Access = keyof typeof demands;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Set before validation on every route that authenticates. */
    principal: Principal | null;
    /** Set after validation on routes with access `tenant...`: the tenant in `tenantName`. */
    tenant: Tenant | null;
  }
}

export function authenticateRequests(
  server: FastifyInstance,
  { keys, identity, tenants }: Pick<Core, 'keys' | 'identity' | 'tenants'>,
): void {
  server.decorateRequest('principal', null);
  server.decorateRequest('tenant', null);
  server.addHook('onRequest', async (request) => {
    const demand = findDemand(request);
    if (demand === null) return;
    const { isKey, credential } = readCredential(request.headers.authorization);
    const principal = await (isKey ? keys : identity).authenticate(credential);
    // From here on, logging and rate limiting know the caller, even if it is rejected.
    request.principal = principal;
    assertMeets(demand, principal);
  });
  server.addHook('preHandler', async (request) => {
    if (findDemand(request)?.tenant !== true) return;
    const principal = requirePrincipal(request);
    request.tenant = await tenants.authorizeTenant(principal, readTenantName(request));
  });
}

/** `ApiKey <key>` and `Bearer <key>` carry an API key; any other `Bearer <token>` carries a user's token. */
function readCredential(authorization = ''): { isKey: boolean; credential: string } {
  if (authorization.trim() === '') {
    throw forbidden('Send the header Authorization: ApiKey <your key>, or Bearer <access token>.');
  }
  const [, scheme = '', credential] = /^(ApiKey|Bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (credential === undefined) {
    throw unauthenticated(
      'The Authorization header cannot be read; send ApiKey <your key> or Bearer <access token>.',
    );
  }
  const isKey = scheme.toLowerCase() === 'apikey' || credential.startsWith(keyPrefix);
  return { isKey, credential };
}

/** The caller of a route with access `tenant...`. */
export function requireCaller(request: FastifyRequest): Caller {
  const { tenant } = request;
  if (tenant === null) throw new TypeError('This route does not authorize a tenant.');
  const key = request.headers['idempotency-key'];
  return {
    principal: requirePrincipal(request),
    tenant,
    idempotencyKey: typeof key === 'string' ? key : null,
  };
}

export function requirePrincipal(request: FastifyRequest): Principal {
  if (request.principal === null) throw new TypeError('This route does not authenticate.');
  return request.principal;
}

export function requireUserId(request: FastifyRequest): string {
  const { type, id } = requirePrincipal(request);
  if (type !== 'user' || id === null) throw new TypeError('This route is not for users only.');
  return id;
}

function findDemand(request: FastifyRequest): (typeof demands)[Access] {
  if (request.is404) return null;
  return demands[request.routeOptions.config.access ?? 'tenant'];
}

type Demand = Exclude<(typeof demands)[Access], null>;

/** An API key has no scopes and needs none: it may do anything within its tenant. */
function assertMeets({ isForUsers, settings }: Demand, { type, scopes }: Principal): void {
  if (isForUsers && type !== 'user') {
    const message =
      'This operation is for users only: log in and send Bearer <access token> instead of an API key.';
    throw forbidden(message);
  }
  if (settings && type === 'user' && !scopes.includes(settingsScope)) {
    throw forbidden(`You lack the "${settingsScope}" scope; ask your administrator for it.`);
  }
}

// The name is in the body or the query. The schemas require it; this check is for a route whose schema does not.
function readTenantName(request: FastifyRequest): string {
  for (const part of [request.body, request.query]) {
    if (typeof part !== 'object' || part === null || !('tenantName' in part)) continue;
    if (typeof part.tenantName === 'string') return part.tenantName;
  }
  throw invalidRequest('tenantName is missing; send the name of the tenant.');
}
