/** `/v1/tenant/report`: what a tenant used. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { App } from '../../app.ts';
import { success } from '../answers.ts';
import { callerOf } from '../authenticate.ts';
import { operation } from '../operation.ts';
import { reportAnswer, reportQuery } from '../../contract/usage.ts';

export const usageRoutes: FastifyPluginAsyncTypebox<Pick<App, 'usage'>> = async (
  server,
  { usage },
) => {
  server.get(
    '/v1/tenant/report',
    {
      schema: {
        ...operation({
          id: 'readUsageReport',
          summary: 'Read what a tenant used: all the time, or the days of a range added up',
        }),
        querystring: reportQuery,
        response: { 200: reportAnswer },
      },
    },
    async (request) => {
      const { tenantName: _checked, ...query } = request.query;
      return success(await usage.report(callerOf(request).tenant, query));
    },
  );
};
