/** `/v1/tenant`: a tenant, for everybody who may act for it; changes, for those who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toActor } from '../../service/access/principal.ts';
import type { Administration } from '../../service/app.ts';
import type { Core } from '../../service/core.ts';
import { changeBody, changeQuery, tenantAnswer, tenantQuery } from '../../contract/tenant.ts';
import { reportAnswer, reportQuery } from '../../contract/usage.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operation } from '../openapi-answers.ts';

export const tenantRoutes: FastifyPluginAsyncTypebox<Pick<Administration, 'tenancy'>> = async (
  server,
  { tenancy },
) => {
  server.get('/v1/tenant', getTenant, async (request) =>
    success(await tenancy.read(requireCaller(request).tenant)),
  );

  server.put('/v1/tenant', updateTenant, async (request) => {
    const { tenantName, ...change } = request.body;
    assertOneName(tenantName, request.query.tenantName);
    const { principal, tenant } = requireCaller(request);
    return success(await tenancy.change(tenant, change, toActor(principal)));
  });
};

function assertOneName(inBody: string | undefined, inQuery: string | undefined): void {
  if (inBody === undefined || inQuery === undefined || inBody === inQuery) return;
  throw new ForensicsError(
    'invalid_request',
    'The query and the body name two tenants; send tenantName once. A new name goes into name.',
  );
}

/** `/v1/tenant/report`: what a tenant used. */
export const usageRoutes: FastifyPluginAsyncTypebox<Pick<Core, 'usage'>> = async (
  server,
  { usage },
) => {
  server.get('/v1/tenant/report', readUsageReport, async (request) => {
    const { tenantName: _checked, ...query } = request.query;
    return success(await usage.report(requireCaller(request).tenant, query));
  });
};

const getTenant = operation(
  { id: 'getTenant', summary: 'Read a tenant, with masked secrets' },
  { querystring: tenantQuery, response: { 200: tenantAnswer } },
);

const updateTenant = operation(
  {
    id: 'updateTenant',
    access: 'tenantSettings',
    bodyLimit: longBodyLimitBytes,
    summary:
      'Rename a tenant, set its webhook and default options, or choose where its objects are kept',
    description: `Takes the answer of GET back unchanged, secrets masked. A new storage configuration is tried out
(write, read, delete) before it is saved; analyses stay readable where they were made.`,
    failures: ['conflict', 'store_refused', 'store_unavailable'],
  },
  { querystring: changeQuery, body: changeBody, response: { 200: tenantAnswer } },
);

const readUsageReport = operation(
  {
    id: 'readUsageReport',
    summary: 'Read what a tenant used: all the time, or the days of a range added up',
  },
  { querystring: reportQuery, response: { 200: reportAnswer } },
);
