/** Earlier pictures of a tenant that show the same thing as a given one, as JSON Schema. */

import { Type } from 'typebox';
import {
  described,
  share,
  responseWith,
  dateTime,
  oneOf,
  orNull,
  type Wire,
  object,
  list,
} from './common.ts';

/** The strongest first; only the first means that the picture itself was seen before. */
export const seenReasons = ['picture', 'document', 'settings', 'camera'] as const;

export type SeenBefore = Wire<typeof seenBefore>;
export const seenBefore = Type.Object({
  id: described('Id of the other analysis.'),
  name: Type.String(),
  projectId: orNull(Type.String()),
  createdDate: dateTime,
  reasons: list(
    'picture: both show the same thing, so one is a copy. Otherwise, their files only state the same document id, generator settings or camera body.',
    oneOf(seenReasons),
  ),
  alignment: orNull(
    object(
      "Where a point of this picture, mirrored first if isMirrored, lies in the other: x' = scale * x + left, y' = scale * y + top, each as a fraction of the longer side of its picture. Null if they do not show the same thing.",
      { isMirrored: Type.Boolean(), scale: Type.Number(), left: Type.Number(), top: Type.Number() },
    ),
  ),
  likeness: orNull(share('Share of matching details in the area that both show.')),
});

export const seenBeforeResponse = responseWith(Type.Array(seenBefore));
