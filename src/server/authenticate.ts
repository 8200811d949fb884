/**
 * Who is asking, found out before a byte of the body is read. A route that declares no access is for callers of
 * the tenant: opening it further takes a word in its own file.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keyPrefix } from '../service/access/key-format.ts';
import { type Principal, settingsScope, unauthenticated } from '../service/access/principal.ts';
import type { Tenant } from '../service/tenants/tenants.ts';
import type { Caller } from '../service/analyses/context.ts';
import type { Core } from '../service/core.ts';
import { ForensicsError } from '../errors.ts';

/** What a route demands; null for one that does not ask who is there. */
const demands = {
  everyone: null,
  /** Checked by the route itself. */
  urlSignature: null,
  /** A key of the tenant that `tenantName` means, or a user who may act for it. */
  tenant: { isForUsers: false, settings: false, tenant: true },
  /** The same, and of a user the scope `settings`. */
  tenantSettings: { isForUsers: false, settings: true, tenant: true },
  /** A user who may act for the tenant that `tenantName` means. */
  tenantUser: { isForUsers: true, settings: false, tenant: true },
  /** The same with the scope `settings`: an API key outlives nobody's account and must not administer people. */
  tenantManager: { isForUsers: true, settings: true, tenant: true },
  /** A user, whatever the tenant. */
  user: { isForUsers: true, settings: false, tenant: false },
  userSettings: { isForUsers: true, settings: true, tenant: false },
} as const;

export type Access = keyof typeof demands;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Set before validation on every route that asks who is there. */
    principal: Principal | null;
    /** Set after validation on routes with access `tenant...`: the tenant that `tenantName` means. */
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
    // From here on the log and the rate limits know the caller, refused or not.
    request.principal = principal;
    assertMeets(demand, principal);
  });
  server.addHook('preHandler', async (request) => {
    if (findDemand(request)?.tenant !== true) return;
    request.tenant = await tenants.authorizeTenant(
      requirePrincipal(request),
      readTenantName(request),
    );
  });
}

/**
 * `ApiKey <key>` and `Bearer <key>` stand for an API key, any other `Bearer <token>` for a user.
 *
 * @throws {ForensicsError} `forbidden` for no header; `unauthenticated` for one that cannot be read.
 */
function readCredential(authorization = ''): { isKey: boolean; credential: string } {
  if (authorization.trim() === '') {
    throw new ForensicsError(
      'forbidden',
      'Send the header Authorization: ApiKey <your key>, or Bearer <access token>.',
    );
  }
  const [, scheme = '', credential] = /^(ApiKey|Bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (credential === undefined) {
    throw unauthenticated(
      'The Authorization header cannot be read; send ApiKey <your key> or Bearer <access token>.',
    );
  }
  return {
    isKey: scheme.toLowerCase() === 'apikey' || credential.startsWith(keyPrefix),
    credential,
  };
}

/** On whose behalf a route with access `tenant...` acts. */
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

/** Who asks, on any route but those for everyone. */
export function requirePrincipal(request: FastifyRequest): Principal {
  if (request.principal === null) throw new TypeError('This route does not authenticate.');
  return request.principal;
}

/** The person who asks, on a route that is for users alone. */
export function requireUserId(request: FastifyRequest): string {
  const { type, id } = requirePrincipal(request);
  if (type !== 'user' || id === null) throw new TypeError('This route is not for users alone.');
  return id;
}

function findDemand(request: FastifyRequest): (typeof demands)[Access] {
  if (request.is404) return null;
  return demands[request.routeOptions.config.access ?? 'tenant'];
}

type Demand = Exclude<(typeof demands)[Access], null>;

/** An API key has no scopes and needs none: it may do everything that concerns its tenant. */
function assertMeets({ isForUsers, settings }: Demand, { type, scopes }: Principal): void {
  if (isForUsers && type !== 'user') {
    const message =
      'This operation is for users: log in and send Bearer <access token> instead of an API key.';
    throw new ForensicsError('forbidden', message);
  }
  if (settings && type === 'user' && !scopes.includes(settingsScope)) {
    const message = `You lack the scope "${settingsScope}"; ask your administrator for it.`;
    throw new ForensicsError('forbidden', message);
  }
}

// Body or query; the schemas require it in one of them; this is for a route that forgot to.
function readTenantName(request: FastifyRequest): string {
  for (const part of [request.body, request.query]) {
    if (typeof part !== 'object' || part === null || !('tenantName' in part)) continue;
    if (typeof part.tenantName === 'string') return part.tenantName;
  }
  throw new ForensicsError(
    'invalid_request',
    'tenantName is missing; send the name of the tenant.',
  );
}
