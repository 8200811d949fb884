/** API keys as JSON Schema. */

import { Type } from 'typebox';
import {
  described,
  responseWith,
  dateTime,
  oneOf,
  orNull,
  tenantName,
  visibleText,
  type Wire,
} from './common.ts';
import { maxNameLength } from './limits.ts';
import { keyEnds } from './vocabulary.ts';

const name = visibleText(maxNameLength, 'What the key is for.');

const strict = { additionalProperties: false };
/** By name, selects the valid key of that name that has not been replaced. */
export type KeySelector = Wire<typeof keySelector>;
const keySelector = Type.Union(
  [Type.Object({ uuid: Type.String({ format: 'uuid' }) }, strict), Type.Object({ name }, strict)],
  {
    description: `The key that the new one replaces, taking its name. A name stands for the one valid key with that name that has
not been replaced.`,
  },
);
// This is the maximum lifetime of a key, so a longer grace period would have no effect.
const longestGraceSeconds = 3650 * 86_400;

export const newKeyBody = Type.Object(
  {
    tenantName,
    name: Type.Optional(name),
    expiresAt: Type.String({ format: 'date-time', description: 'At most ten years from now.' }),
    replaces: Type.Optional(keySelector),
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestGraceSeconds,
        description:
          'With replaces: the longest time that the old key keeps working; default: 86400.',
      }),
    ),
  },
  {
    examples: [
      { tenantName: 'default', name: 'ci', expiresAt: '2030-01-01T00:00:00Z' },
      { tenantName: 'default', replaces: { name: 'ci' }, expiresAt: '2030-01-01T00:00:00Z' },
    ],
  },
);
export const keyQuery = Type.Object({ tenantName, uuid: Type.String({ format: 'uuid' }) });

/** A key for display: complete in the response that creates it, masked afterwards. */
export type KeyEntry = Wire<typeof keyEntry>;
export const keyEntry = Type.Object({
  uuid: Type.String({ format: 'uuid' }),
  name,
  createdDate: dateTime,
  expiresAt: dateTime,
  lastUsedDate: orNull({
    ...dateTime,
    description: 'Accurate to the minute; null if never used.',
  }),
  ended: orNull({
    ...oneOf(keyEnds),
    description: `Why the key no longer works: it expired, or another key replaced it and its grace period is over. Null while
it works.`,
  }),
  secret: described('Complete in the response that creates the key, otherwise masked.'),
});

const keyList = Type.Array(keyEntry);
export const keysResponse = responseWith(keyList);
export const newKeyResponse = responseWith(
  Type.Object(
    { ...keyEntry.properties, replaced: Type.Optional(keyEntry), earlier: Type.Optional(keyList) },
    {
      description: `After a rotation, also the key that was replaced, and any keys replaced by earlier rotations that were still in their
grace period; those expire no later than the key just replaced.`,
    },
  ),
);
