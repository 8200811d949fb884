/** `/v1/ping`, `/v1/health`, `/v1/schema`: open to everybody, so they tell nothing about tenants or the machine. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { operation } from '../operation.ts';
import { oneOf, succeeded } from '../../contract/common.ts';

const pong = Type.Object({
  ...succeeded.properties,
  data: Type.Object({ message: Type.Literal('pong') }),
});
const healthy = Type.Object({
  ...succeeded.properties,
  data: Type.Record(Type.String(), oneOf(['ok', 'degraded'])),
});

export const systemRoutes: FastifyPluginAsyncTypebox<Pick<App, 'health'>> = async (
  server,
  { health },
) => {
  const open = { config: { access: 'everyone' as const } };
  const probe = { config: { ...open.config, rateLimit: false as const } };

  server.get(
    '/v1/ping',
    {
      ...probe,
      schema: {
        ...operation({ id: 'ping', summary: 'Connectivity test' }),
        response: { 200: pong },
      },
    },
    async () => success({ message: 'pong' as const }),
  );

  server.get(
    '/v1/health',
    {
      ...probe,
      schema: {
        ...operation({
          id: 'readHealth',
          summary: 'Health of database, storage, model, queue and webhooks',
          description:
            '503 when database, storage, model or queue fails; webhooks are degraded when a receiver does not answer.',
          failures: ['unhealthy'],
        }),
        response: { 200: healthy },
      },
    },
    async (request) => {
      const checks = await health();
      const failing = checks.filter(({ cause, isVital }) => isVital && cause !== null);
      for (const { name, cause } of failing)
        request.log.error({ err: cause, check: name }, 'unhealthy');
      if (failing.length > 0) {
        const names = failing.map(({ name }) => name).join(', ');
        throw new ForensicsError('unhealthy', `Not healthy: ${names}.`);
      }
      return success(Object.fromEntries(checks.map(({ name, cause }) => [name, wordFor(cause)])));
    },
  );

  server.get(
    '/v1/schema',
    {
      ...open,
      schema: {
        ...operation({
          id: 'readSchema',
          summary: 'This document: OpenAPI 3.1, without an envelope',
        }),
        response: { 200: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }) },
      },
    },
    async () => server.swagger(),
  );
};

function wordFor(cause: Error | null): 'ok' | 'degraded' {
  return cause === null ? 'ok' : 'degraded';
}
