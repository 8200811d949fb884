/** Schemas of a tenant's audit log: responses and paging. */

import { Type } from 'typebox';
import { responseWith, dateTime, objectId, orNull, tenantName, type Wire } from './common.ts';
import { maxListed } from './limits.ts';

export const auditQuery = Type.Object({
  tenantName,
  event: Type.Optional(
    Type.String({
      // Completes "must be" in error messages.
      pattern: '^[a-z_]{1,32}(\\.[a-z_]{1,32})?$',
      description:
        'an event such as "key.created", or the part before the dot for all events of that kind',
    }),
  ),
  subject: Type.Optional({ ...objectId, description: 'Id of the object that was acted on.' }),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive.' })),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Only entries with a smaller seq: to get the next page, send the last seq of this one.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxListed, default: 100 })),
});

export type AuditEntry = Wire<typeof entry>;
const entry = Type.Object({
  chain: Type.String({ description: 'Id of the tenant.' }),
  seq: Type.Integer({ minimum: 1, description: 'Without gaps.' }),
  at: dateTime,
  actor: Type.Object({
    type: Type.String({ description: 'user, api (a key), service or operator.' }),
    id: orNull(Type.String({ description: 'Id of the user or key.' })),
  }),
  event: Type.String(),
  subject: orNull(Type.String({ description: 'Id of the object that was acted on.' })),
  details: Type.Record(Type.String(), Type.Unknown()),
  previous: Type.String({ description: 'Hash of the previous entry.' }),
  hash: Type.String({
    description: 'SHA-256 of the entry as canonical JSON, without this member.',
  }),
});

export const auditResponse = responseWith(
  Type.Unsafe<readonly AuditEntry[]>(Type.Array(entry, { description: 'Newest first.' })),
);
