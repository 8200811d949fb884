/** `/v1/ping`, `/v1/health`, `/v1/schema`: public, so they reveal nothing about tenants or the machine. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Intake, intakes } from '../../contract/limits.ts';
import type { Operations } from '../../service/app.ts';
import { oneOf, succeeded } from '../../contract/common.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../responses.ts';
import { operation } from '../openapi-responses.ts';

const pong = Type.Object({
  ...succeeded.properties,
  data: Type.Object({ message: Type.Literal('pong') }),
});
const healthy = Type.Object({
  ...succeeded.properties,
  data: Type.Record(Type.String(), oneOf(['ok', 'degraded'])),
  intake: oneOf(intakes),
});

export const systemRoutes: FastifyPluginAsyncTypebox<
  Pick<Operations, 'health'> & { readonly intake: Intake }
> = async (server, { health, intake }) => {
  server.get('/v1/ping', ping, async () => success({ message: 'pong' as const }));

  server.get('/v1/health', readHealth, async (request) => {
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

  server.get('/v1/schema', readSchema, async () => server.swagger());
};

const ping = operation({
  id: 'ping',
  access: 'everyone',
  rateLimit: false,
  summary: 'Connectivity test',
  answer: pong,
});

const readHealth = operation({
  id: 'readHealth',
  access: 'everyone',
  rateLimit: false,
  summary:
    'Health of database, storage, model, queue, webhooks and log; also the accepted pictures',
  description:
    '503 when the database, storage, model or queue fails. The database is degraded when changes were lost to disk damage, webhooks when a receiver does not answer, and the log when lines are being lost.',
  failures: ['unhealthy'],
  answer: healthy,
});

const readSchema = operation({
  id: 'readSchema',
  access: 'everyone',
  summary: 'This document: OpenAPI 3.1, without an envelope',
  answer: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }),
});
