/** `/v1/tenant/hold`: the legal holds of a tenant, for those of its people who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toActor } from '../../service/access/principal.ts';
import type { Hold } from '../../service/holds/legal-holds.ts';
import type { Core } from '../../service/core.ts';
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
import { requireCaller } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

const path = '/v1/tenant/hold';

export const holdRoutes: FastifyPluginAsyncTypebox<Pick<Core, 'holds'>> = async (
  server,
  { holds },
) => {
  server.get(path, listLegalHolds, async (request) =>
    success((await holds.list(requireCaller(request).tenant.id)).map(shown)),
  );

  server.post(path, placeLegalHold, async (request) => {
    const { analysisId = null, reason } = request.body;
    const { principal, tenant } = requireCaller(request);
    const wish = { tenantId: tenant.id, analysisId, reason };
    return success(shown(await holds.add(wish, toActor(principal))));
  });

  server.delete(path, liftLegalHold, async (request) => {
    const { principal, tenant } = requireCaller(request);
    const { analysisId = null } = request.body;
    await holds.remove({ tenantId: tenant.id, analysisId }, toActor(principal));
    return success();
  });
};

function shown({ tenantId: _tenantId, createdAt, ...hold }: Hold): LegalHold {
  return { ...hold, createdDate: createdAt.toISOString() };
}

// Not for API keys: a person answers for what is kept from deletion.
const access = 'tenantManager';

const listLegalHolds = operation(
  { id: 'listLegalHolds', access, summary: 'List the legal holds of a tenant' },
  { querystring: holdsQuery, response: { 200: holdsAnswer } },
);

const placeLegalHold = operation(
  {
    id: 'placeLegalHold',
    access,
    summary: 'Keep an analysis, or everything of a tenant, from being purged',
    description: 'What is held can be deleted, but stays stored until the hold is lifted.',
    failures: ['analysis_not_found', 'conflict'],
  },
  { body: newHoldBody, response: { 200: holdAnswer } },
);

const liftLegalHold = operation(
  {
    id: 'liftLegalHold',
    access,
    summary: 'Lift a legal hold; those of the operator only the operator lifts',
    failures: ['not_found', 'conflict'],
  },
  { body: heldBody, response: { 200: succeeded } },
);
