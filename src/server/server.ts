/** The HTTP API of an open app: reads requests, calls a service and shapes the response, but decides nothing. */

import { randomUUID, createHmac } from 'node:crypto';
import fastify, { type FastifyInstance, LogController, type FastifyRequest } from 'fastify';
import type { App, Operations } from '../service/app.ts';
import type { LogLevel } from '../contract/settings.ts';
import { type Intake, intakes } from '../contract/limits.ts';
import {
  addressFailure,
  answerErrors,
  answerUnknownRoutes,
  sendFailure,
  success,
} from './responses.ts';
import { authenticateRequests } from './authenticate.ts';
import {
  bodyLimitBytes,
  compileValidator,
  drainRefused,
  guardBodies,
  readJsonBodies,
} from './bodies.ts';
import { consoleRoutes } from './console.ts';
import {
  allowOrigins,
  answerUnreadable,
  guardHeaders,
  guardTransport,
  isLoopback,
  listenerFactory,
  type Transport,
} from './transport.ts';
import type { Metrics } from './metrics.ts';
import { describeInterface, docsRoutes, operations } from './openapi.ts';
import { createRateLimits, setRequesters, takeTurns } from './fair-use.ts';
import { analysisRoutes, evidenceRoutes } from './routes/analysis.ts';
import { authRoutes, keyRoutes, sessionRoutes } from './routes/auth.ts';
import { objectRoutes } from './routes/objects.ts';
import { administrationRoutes, peopleRoutes, tenantRoutes } from './routes/tenant.ts';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { oneOf, succeeded } from '../contract/common.ts';
import { ForensicsError } from '../contract/errors.ts';
import { readTag } from '../service/access/principal.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly methodsByPath: ReadonlyMap<string, readonly string[]>;
  }
}

interface ServerParts {
  readonly app: Omit<App, 'close'>;
  readonly transport: Transport;
  readonly version: string;
  /** The address at which clients reach the server; null if the operator set none, so that clients are told none. */
  readonly publicUrl: string | null;
  /** Requests per minute for one caller; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  readonly apiCorsAllowedOrigins: readonly string[];
  readonly metrics: Pick<Metrics, 'observe'> | null;
  /** Key for hashing rejected logins and keys in the log; null logs them as they were sent. */
  readonly accountKey: Buffer | null;
  readonly intake: Intake;
  readonly logLevel: LogLevel;
  /** Where lines are written; standard error on a running server. */
  readonly logTarget: { write(line: string): void };
}

/** The part of the framework that the rest of the program uses. */
export type HttpServer = FastifyInstance;

/** Creates a server that is ready to listen. Closing it lets running requests finish. */
export async function createServer(parts: ServerParts): Promise<HttpServer> {
  const server = createFramework(parts);
  await addMiddleware(server, parts);
  await addRoutes(server, parts);
  await server.ready();
  return server;
}

function createFramework({ transport, logLevel, logTarget }: ServerParts): HttpServer {
  const guards = guardHeaders(transport);
  const server = fastify({
    serverFactory: listenerFactory(transport),
    logger: {
      level: logLevel,
      stream: logTarget,
      serializers: {
        req: describeRequest,
        res: ({ statusCode }) => ({ statusCode }),
        err: (error) => describeError(error),
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    // The proxy closest to us wrote the last address in X-Forwarded-For; clients may have written the rest.
    trustProxy:
      transport === null && ((address: string, hop: number) => hop === 0 && isLoopback(address)),
    forceCloseConnections: 'idle',
    // While closing, requests on open connections are still served; everything they need closes later.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) =>
      answerUnreadable(error, socket, { 'x-request-id': randomUUID(), ...guards }),
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ 'x-request-id': request.id, ...guards });
      void sendFailure(reply, addressFailure(error.code));
    },
  });
  readJsonBodies(server);
  server.setValidatorCompiler(compileValidator);
  // Responses are typed at compile time; a second serializer at run time could only drop members silently.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return server;
}

/** What happens to every request, in this order: hooks of the same kind run in the order they were added. */
async function addMiddleware(server: HttpServer, parts: ServerParts): Promise<void> {
  const { core } = parts.app;
  const methods = rememberMethods(server);
  guardTransport(server, parts.transport);
  logAnswers(server, parts.accountKey);
  parts.metrics?.observe(server);
  answerErrors(server);
  guardBodies(server);
  drainRefused(server);
  await allowOrigins(server, parts.apiCorsAllowedOrigins);
  setRequesters(server);
  const rateLimits = await createRateLimits(server, { ...parts, ...core });
  rateLimits.guardAuthentication();
  authenticateRequests(server, core);
  rateLimits.countRequests();
  takeTurns(server);
  answerUnknownRoutes(server, (path) => methods.get(path) ?? methodsOfPattern(methods, path));
}

async function addRoutes(server: HttpServer, parts: ServerParts): Promise<void> {
  const { app, intake } = parts;
  const { core, analyses, administration } = app;
  await describeInterface(server, parts);
  await server.register(docsRoutes);
  await server.register(systemRoutes, { ...app.operations, intake });
  await server.register(analysisRoutes, { analyses });
  await server.register(evidenceRoutes, { evidence: app.evidence, analyses });
  await server.register(tenantRoutes, { ...administration, ...core });
  await server.register(peopleRoutes, { ...administration, userSettings: core.userSettings });
  await server.register(administrationRoutes, { ...administration, core });
  await server.register(keyRoutes, { keys: core.keys });
  await server.register(authRoutes, { identity: core.identity });
  await server.register(sessionRoutes, { ...administration, ...core, analyses, intake });
  await server.register(consoleRoutes, parts);
  await server.register(objectRoutes, app.storage.embedded);
}

/** The methods of each path, for status 405, for OPTIONS, and for tests that must not miss a method. */
function rememberMethods(server: FastifyInstance): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    // The route on which the CORS package answers preflights, whatever their address.
    if (url === '*') return;
    known.set(url, [...(known.get(url) ?? []), ...[method].flat()]);
  });
  server.decorate('methodsByPath', known);
  return known;
}

function methodsOfPattern(methods: HttpServer['methodsByPath'], path: string): readonly string[] {
  const patterns = [...methods.keys()].filter((url) => /[:*]/.test(url));
  const found = patterns.find((url) => {
    const parameters = url.replaceAll(/:\w+(?:\(\^(.*?)\$\))?/g, (_, regex = '[^/]+') => regex);
    return new RegExp(`^${parameters.replace('*', '.*')}$`).test(path);
  });
  return methods.get(found ?? '') ?? [];
}

const systemRoutes: FastifyPluginAsyncTypebox<
  Pick<Operations, 'health'> & { readonly intake: Intake }
> = async (server, { health, intake }) => {
  server.get('/v1/ping', declared.ping, async () => success({ message: 'pong' as const }));

  server.get('/v1/health', declared.readHealth, async (request) => {
    const checks = await health();
    const failing = checks.filter(({ cause, isVital }) => isVital && cause !== null);
    for (const { name, cause } of failing) {
      request.log.error({ err: cause, check: name }, 'unhealthy');
    }
    if (failing.length > 0) {
      const names = failing.map(({ name }) => name).join(', ');
      throw new ForensicsError('unhealthy', `Not healthy: ${names}.`);
    }
    const states = checks.map(
      ({ name, cause }) => [name, cause === null ? 'ok' : 'degraded'] as const,
    );
    return { ...success(Object.fromEntries(states)), intake };
  });

  server.get('/v1/schema', declared.readSchema, async () => server.swagger());
};

const declared = operations({
  ping: {
    access: 'everyone',
    rateLimit: false,
    summary: 'Connectivity test',
    answer: Type.Object({
      ...succeeded.properties,
      data: Type.Object({ message: Type.Literal('pong') }),
    }),
  },
  readHealth: {
    access: 'everyone',
    rateLimit: false,
    summary:
      'Health of database, storage, model, queue, webhooks and log; also the accepted pictures',
    description:
      '503 when the database, storage, model or queue fails. Webhooks are degraded when a receiver does not answer, and the log when lines are being lost.',
    answer: Type.Object({
      ...succeeded.properties,
      data: Type.Record(Type.String(), oneOf(['ok', 'degraded'])),
      intake: oneOf(intakes),
    }),
  },
  readSchema: {
    access: 'everyone',
    summary: 'This document: OpenAPI 3.1, without an envelope',
    answer: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }),
  },
});

interface ErrorLine {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

/** @param accountKey - key for hashing accounts; null logs them as they are. */
function logAnswers(server: FastifyInstance, accountKey: Buffer | null): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        ...describeRequest(request),
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime),
        code: reply.getHeader('x-error-code'),
        caller: request.principal?.id ?? undefined,
        tenantId: request.tenant?.id,
        ...describeStranger(request, reply.raw.statusCode, accountKey),
      },
      'answered',
    );
  });
}

const logins: ReadonlySet<string | undefined> = new Set(['/v1/auth/login', '/v1/auth/session']);

/** Empty except after a rejected login, key or token: address and account identify someone who is guessing. */
function describeStranger(request: FastifyRequest, status: number, accountKey: Buffer | null) {
  const { ip, headers, principal, routeOptions } = request;
  const isLogin = request.method === 'POST' && logins.has(routeOptions.url) && status >= 400;
  const triedKey = headers.authorization !== undefined && principal === null;
  const isRefused = isLogin || status === 401 || (status === 403 && triedKey);
  if (!isRefused) return {};
  const account = isLogin ? mailAddressIn(request.body) : keyStartIn(headers.authorization);
  if (account === null) return { from: ip };
  if (accountKey === null) return { from: ip, account };
  const hash = createHmac('sha256', accountKey).update(account).digest('hex');
  return { from: ip, account: hash.slice(0, 32) };
}

/** Normalised; null if it is not an email address, because people also type their password into the wrong field. */
function mailAddressIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('email' in body)) return null;
  const { email } = body;
  const isOne = typeof email === 'string' && /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email);
  return isOne ? email.toLowerCase() : null;
}

/** The part of a well-formed key before its secret, which identifies the tenant. */
function keyStartIn(authorization = ''): string | null {
  const [, secret = ''] = /^(?:ApiKey|Bearer) (\S+)$/i.exec(authorization) ?? [];
  const tag = readTag(secret);
  return tag === null ? null : `sk-${tag}`;
}

const deepestCause = 5;

/** What failed and where. Other members of a foreign error may contain the request, with its tokens and passwords. */
function describeError(error: Readonly<Error & { code?: unknown }>, depth = 0): ErrorLine {
  const { name, message, stack = '', code, cause } = error;
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause instanceof Error && depth < deepestCause
      ? { cause: describeError(cause, depth + 1) }
      : {}),
  };
}

function describeRequest(request: FastifyRequest): { method: string; route: string } {
  return { method: request.method, route: request.routeOptions?.url ?? 'unknown' };
}
