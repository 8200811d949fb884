/** Earlier pictures of a tenant that show the same as a given one, as JSON Schema. */

import { Type } from 'typebox';
import { answerWith, dateTime, objectId, orNull, tenantName, type Wire } from './common.ts';

export const seenBeforeQuery = Type.Object({ tenantName, id: objectId });

export type SeenBefore = Wire<typeof seenBefore>;
const seenBefore = Type.Object({
  id: Type.String({ description: 'Of the other analysis.' }),
  name: Type.String(),
  projectId: orNull(Type.String()),
  createdDate: dateTime,
  alignment: Type.Object(
    {
      isMirrored: Type.Boolean(),
      scale: Type.Number(),
      left: Type.Number(),
      top: Type.Number(),
    },
    {
      description:
        "Where a point of this picture, mirrored first where isMirrored, lies in the other: x' = scale * x + left, y' = scale * y + top, each in shares of the longer side of its picture.",
    },
  ),
  likeness: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the details of their common part that agree.',
  }),
});

export const seenBeforeAnswer = answerWith(Type.Array(seenBefore));
