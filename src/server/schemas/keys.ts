/** API keys as JSON Schema. */

import { Type } from 'typebox';
import type { KeyEntry } from '../../access/key-entry.ts';
import { dateTime, orNull, succeeded, tenantName } from './words.ts';

const name = Type.String({ minLength: 1, maxLength: 255, description: 'What the key is for.' });

export const keysQuery = Type.Object({ tenantName });
export const newKeyBody = Type.Object(
  {
    tenantName,
    name,
    expiresAt: Type.String({ format: 'date-time', description: 'At most ten years ahead.' }),
  },
  { examples: [{ tenantName: 'default', name: 'ci', expiresAt: '2030-01-01T00:00:00Z' }] },
);
export const keyQuery = Type.Object({ tenantName, uuid: Type.String({ format: 'uuid' }) });

export const keyEntry = Type.Object({
  uuid: Type.String({ format: 'uuid' }),
  name,
  createdDate: dateTime,
  expiresAt: dateTime,
  lastUsedDate: orNull(
    Type.String({ format: 'date-time', description: 'To the minute; null if never used.' }),
  ),
  secret: Type.String({ description: 'Whole in the answer that makes the key, else masked.' }),
});

const keyList = Type.Unsafe<readonly KeyEntry[]>(Type.Array(keyEntry));
export const keysAnswer = Type.Object({ ...succeeded.properties, data: keyList });
export const keyAnswer = Type.Object({ ...succeeded.properties, data: keyEntry });
