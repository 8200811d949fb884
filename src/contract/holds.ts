/** Legal holds of a tenant, for users who may change its settings. */

import { Type } from 'typebox';
import { responseWith, dateTime, objectId, orNull, tenantName, type Wire } from './common.ts';
import { maxCommentLength } from './limits.ts';

const analysisId = Type.Optional({
  ...objectId,
  description: 'If omitted, applies to all data of the tenant.',
});

export const holdsQuery = Type.Object({ tenantName });
export const heldBody = Type.Object({ tenantName, analysisId });
export const newHoldBody = Type.Object({
  ...heldBody.properties,
  reason: Type.String({ minLength: 1, maxLength: maxCommentLength }),
});

export type LegalHold = Wire<typeof hold>;
const hold = Type.Object({
  analysisId: orNull(
    Type.String({
      description: 'May be the id of a deleted analysis; null for all data of the tenant.',
    }),
  ),
  analysisName: orNull(Type.String()),
  reason: Type.String(),
  createdDate: dateTime,
  createdByUserId: orNull(
    Type.String({
      description: 'Null for a hold placed by the operator of the service, who alone can lift it.',
    }),
  ),
  createdByUserName: orNull(
    Type.String({ description: 'The name or, if there is none, the email address.' }),
  ),
});

const data = Type.Unsafe<LegalHold>(hold);
export const holdResponse = responseWith(data);
export const holdsResponse = responseWith(
  Type.Unsafe<readonly LegalHold[]>(Type.Array(hold, { description: 'Oldest first.' })),
);
