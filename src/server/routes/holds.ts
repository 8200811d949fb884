/** `/v1/tenant/hold`: the legal holds of a tenant, for those of its people who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { actorOf } from '../../service/access/principal.ts';
import type { Hold } from '../../service/holds/legal-holds.ts';
import type { App } from '../../service/app.ts';
import { succeeded } from '../../contract/common.ts';
import {
  heldBody,
  holdAnswer,
  holdsAnswer,
  holdsQuery,
  type LegalHold,
  newHoldBody,
} from '../../contract/holds.ts';
import { success } from '../answers.ts';
import { callerOf } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

const path = '/v1/tenant/hold';
// Not for API keys: a person answers for what is kept from deletion.
const config = { access: 'tenantManager' as const };

export const holdRoutes: FastifyPluginAsyncTypebox<Pick<App, 'holds'>> = async (
  server,
  { holds },
) => {
  server.get(
    path,
    {
      config,
      schema: {
        ...operation({ id: 'listLegalHolds', summary: 'List the legal holds of a tenant' }),
        querystring: holdsQuery,
        response: { 200: holdsAnswer },
      },
    },
    async (request) => success((await holds.list(callerOf(request).tenant.id)).map(shown)),
  );

  server.post(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'placeLegalHold',
          summary: 'Keep an analysis, or everything of a tenant, from being purged',
          description: 'What is held can be deleted, but stays stored until the hold is lifted.',
          failures: ['analysis_not_found', 'conflict'],
        }),
        body: newHoldBody,
        response: { 200: holdAnswer },
      },
    },
    async (request) => {
      const { analysisId = null, reason } = request.body;
      const { principal, tenant } = callerOf(request);
      const wish = { tenantId: tenant.id, analysisId, reason };
      return success(shown(await holds.add(wish, actorOf(principal))));
    },
  );

  server.delete(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'liftLegalHold',
          summary: 'Lift a legal hold; those of the operator only the operator lifts',
          failures: ['not_found', 'conflict'],
        }),
        body: heldBody,
        response: { 200: succeeded },
      },
    },
    async (request) => {
      const { principal, tenant } = callerOf(request);
      const { analysisId = null } = request.body;
      await holds.remove({ tenantId: tenant.id, analysisId }, actorOf(principal));
      return success();
    },
  );
};

function shown({ tenantId: _tenantId, createdAt, ...hold }: Hold): LegalHold {
  return { ...hold, createdDate: createdAt.toISOString() };
}
