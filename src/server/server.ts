/**
 * The HTTP interface over an opened app. It reads requests, asks one act of a service, and shapes the answer; it
 * decides nothing about analyses, keys or pictures.
 */

import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { App } from '../service/app.ts';
import type { LogLevel } from '../contract/config.ts';
import { addressFailure, answerErrors, answerUnknownRoutes, sendFailure } from './answers.ts';
import { authenticateRequests } from './authenticate.ts';
import { bodyLimitBytes, drainRefused, guardBodies, readJsonBodies } from './bodies.ts';
import { consoleRoutes } from './console.ts';
import { allowOrigins } from './cors.ts';
import { logAnswers, loggerOptions, type LogTarget } from './log.ts';
import type { Metrics } from './metrics.ts';
import { describeInterface, docsRoutes } from './openapi.ts';
import { createRateLimits } from './rate-limits.ts';
import { administrationRoutes } from './routes/administration.ts';
import { analysisRoutes } from './routes/analysis.ts';
import { authRoutes } from './routes/auth.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { holdRoutes } from './routes/holds.ts';
import { keyRoutes } from './routes/keys.ts';
import { objectRoutes } from './routes/objects.ts';
import { peopleRoutes } from './routes/people.ts';
import { sessionRoutes } from './routes/session.ts';
import { systemRoutes } from './routes/system.ts';
import { tenantRoutes, usageRoutes } from './routes/tenant.ts';
import { feedbackRoutes, userRoutes } from './routes/user.ts';
import {
  answerExpectations,
  answerUnreadable,
  guardHeaders,
  guardTransport,
  isLoopback,
  listenerFactory,
  type Transport,
} from './transport.ts';
import { takeTurns, setRequesters } from './fair-scheduling.ts';
import { compileValidator } from './validate.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly methodsByPath: ReadonlyMap<string, readonly string[]>;
  }
}

export interface ServerParts {
  readonly app: Pick<
    App,
    | 'database'
    | 'keys'
    | 'now'
    | 'identity'
    | 'userSettings'
    | 'tenants'
    | 'tenancy'
    | 'tenantUsers'
    | 'audit'
    | 'webhookLog'
    | 'holds'
    | 'analyses'
    | 'usage'
    | 'feedback'
    | 'embeddedObjects'
    | 'firstUser'
    | 'evidence'
    | 'hasRemoteStores'
    | 'health'
  >;
  readonly transport: Transport;
  readonly version: string;
  /** Where clients reach the server when the operator set it; null sends them no address. */
  readonly publicUrl: string | null;
  /** Requests a minute of one caller; 0 sets no limit. */
  readonly rateLimitPerMinute: number;
  /** Browser origins whose pages may call the interface. */
  readonly apiCorsAllowedOrigins: readonly string[];
  /** Null without metrics. */
  readonly metrics: Pick<Metrics, 'observe'> | null;
  /** Hashes the accounts of refused logins and keys in the log; null writes them as they were sent. */
  readonly accountKey: Buffer | null;
  readonly logLevel: LogLevel;
  readonly logTarget: LogTarget;
}

/** What the rest of the program sees of the framework. */
export type HttpServer = FastifyInstance;

/** A server that is ready to listen. Closing it lets running requests end. */
export async function createServer(parts: ServerParts): Promise<HttpServer> {
  const { app, transport } = parts;
  const guards = guardHeaders(transport);
  const server = fastify({
    serverFactory: listenerFactory(transport),
    logger: loggerOptions(parts.logLevel, parts.logTarget),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    // The proxy next to us wrote the last address of X-Forwarded-For; clients may have written the rest.
    trustProxy:
      transport === null && ((address: string, hop: number) => hop === 0 && isLoopback(address)),
    forceCloseConnections: 'idle',
    // While closing, requests on open connections are still served: everything they need closes later.
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
  // Answers are typed at compile time; a second serializer at run time could only drop members in silence.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  const methods = rememberMethods(server);

  guardTransport(server, transport);
  logAnswers(server, parts.accountKey);
  parts.metrics?.observe(server);
  answerErrors(server);
  guardBodies(server);
  drainRefused(server);
  await allowOrigins(server, parts.apiCorsAllowedOrigins);
  setRequesters(server);
  const rateLimits = await createRateLimits(server, {
    ...app,
    rateLimitPerMinute: parts.rateLimitPerMinute,
  });
  rateLimits.guardAuthentication();
  authenticateRequests(server, app);
  rateLimits.countRequests();
  takeTurns(server);
  answerExpectations(server);
  answerUnknownRoutes(server, (path) => methods.get(path) ?? []);
  await describeInterface(server, parts);
  await server.register(docsRoutes);
  await server.register(systemRoutes, { health: app.health });
  await server.register(analysisRoutes, { analyses: app.analyses });
  await server.register(evidenceRoutes, { evidence: app.evidence });
  await server.register(tenantRoutes, { tenancy: app.tenancy });
  await server.register(usageRoutes, { usage: app.usage });
  await server.register(peopleRoutes, { tenantUsers: app.tenantUsers });
  await server.register(administrationRoutes, app);
  await server.register(holdRoutes, { holds: app.holds });
  await server.register(keyRoutes, { keys: app.keys });
  await server.register(authRoutes, { identity: app.identity });
  await server.register(sessionRoutes, app);
  await server.register(userRoutes, { userSettings: app.userSettings });
  await server.register(feedbackRoutes, { feedback: app.feedback });
  await server.register(consoleRoutes, parts);
  await server.register(objectRoutes, app.embeddedObjects);
  await server.ready();
  return server;
}

/** Which methods each path of the interface knows: for 405, for OPTIONS, and for tests that must miss none. */
function rememberMethods(server: FastifyInstance): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method }) => {
    known.set(url, [...(known.get(url) ?? []), ...[method].flat()]);
  });
  server.decorate('methodsByPath', known);
  return known;
}
