/**
 * The HTTP API of an open app. It reads requests, calls one function of a service and shapes the response; it decides
 * nothing about analyses, keys or pictures.
 */

import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { App } from '../service/app.ts';
import type { LogLevel } from '../contract/config.ts';
import type { Intake } from '../contract/limits.ts';
import { addressFailure, answerErrors, answerUnknownRoutes, sendFailure } from './responses.ts';
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
  answerExpectations,
  answerUnreadable,
  guardHeaders,
  guardTransport,
  isLoopback,
  listenerFactory,
  type Transport,
} from './transport.ts';
import { logAnswers, loggerOptions, type LogTarget } from './log.ts';
import type { Metrics } from './metrics.ts';
import { describeInterface, docsRoutes } from './openapi.ts';
import { createRateLimits, setRequesters, takeTurns } from './fair-use.ts';
import { analysisRoutes, evidenceRoutes } from './routes/analysis.ts';
import { authRoutes, keyRoutes } from './routes/auth.ts';
import { objectRoutes } from './routes/objects.ts';
import { peopleRoutes } from './routes/people.ts';
import { sessionRoutes } from './routes/session.ts';
import { systemRoutes } from './routes/system.ts';
import { administrationRoutes, holdRoutes, tenantRoutes } from './routes/tenant.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly methodsByPath: ReadonlyMap<string, readonly string[]>;
  }
}

interface ServerParts {
  readonly app: Omit<App, 'close'>;
  readonly transport: Transport;
  readonly version: string;
  /** The address at which clients reach the server; null, if the operator set none, tells clients none. */
  readonly publicUrl: string | null;
  /** Requests per minute for one caller; 0 means no limit. */
  readonly rateLimitPerMinute: number;
  /** Browser origins whose pages may call the API. */
  readonly apiCorsAllowedOrigins: readonly string[];
  /** Null without metrics. */
  readonly metrics: Pick<Metrics, 'observe'> | null;
  /** Key for hashing rejected logins and keys in the log; null logs them as they were sent. */
  readonly accountKey: Buffer | null;
  readonly intake: Intake;
  readonly logLevel: LogLevel;
  readonly logTarget: LogTarget;
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
    logger: loggerOptions(logLevel, logTarget),
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
  const { rateLimitPerMinute } = parts;
  const rateLimits = await createRateLimits(server, { ...core, rateLimitPerMinute });
  rateLimits.guardAuthentication();
  authenticateRequests(server, core);
  rateLimits.countRequests();
  takeTurns(server);
  answerExpectations(server);
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
  await server.register(tenantRoutes, { ...administration, usage: core.usage });
  await server.register(peopleRoutes, { ...administration, userSettings: core.userSettings });
  await server.register(administrationRoutes, { ...administration, audit: core.audit });
  await server.register(holdRoutes, { holds: core.holds });
  await server.register(keyRoutes, { keys: core.keys });
  await server.register(authRoutes, { identity: core.identity });
  const { identity } = core;
  await server.register(sessionRoutes, { ...administration, analyses, identity, intake });
  await server.register(consoleRoutes, parts);
  await server.register(objectRoutes, app.storage.embedded);
}

/** The methods of each path, for 405, for OPTIONS, and for tests that must not miss any. */
function rememberMethods(server: FastifyInstance): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    known.set(url, [...(known.get(url) ?? []), ...[method].flat()]);
  });
  server.decorate('methodsByPath', known);
  return known;
}

/** The methods of a route with parameters or a wildcard in its path. */
function methodsOfPattern(methods: HttpServer['methodsByPath'], path: string): readonly string[] {
  const patterns = [...methods.keys()].filter((url) => /[:*]/.test(url));
  const found = patterns.find((url) => {
    const parameters = url.replaceAll(/:\w+(?:\(\^(.*?)\$\))?/g, (_, regex = '[^/]+') => regex);
    return new RegExp(`^${parameters.replace('*', '.*')}$`).test(path);
  });
  return methods.get(found ?? '') ?? [];
}
