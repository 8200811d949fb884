/** The contract's Tenant as JSON Schema, and its legal holds and audit log. The tenancy code checks storage configurations in detail. */

import { Type } from 'typebox';
import {
  described,
  dateTime,
  objectId,
  oneOf,
  orNull,
  queriedTime,
  responseWith,
  tenantName,
  visibleText,
  type Wire,
  list,
} from './common.ts';
import { keyEntry } from './keys.ts';
import { maxCommentLength, maxListed, maxPresignedUrlExpirySeconds } from './limits.ts';
import {
  decisionStrategies,
  storageTypes,
  tiers,
  webhookStates,
  deliveryStates,
} from './vocabulary.ts';

const origins = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 100,
  description:
    'Browser origins that may use presigned URLs. If null or never set: those of the service.',
});
/** @param allowed - what the pattern allows; completes "must be" in error messages. */
function matching(pattern: string, allowed: string, more: { readonly default?: string } = {}) {
  return Type.String({ pattern: `^${pattern}$`, description: allowed, ...more });
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?';
// The last label must begin with a letter, because URL parsers read a number as an address.
const hostName = `(?=.{1,253}$)(?:${label}\\.)*(?=[a-zA-Z])${label}`;
// Anything that only looks like an address is refused when the store is opened.
const address = '(?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-fA-F]*:[0-9a-fA-F:.]*';

const s3Members = {
  endpoint: matching(
    `(?:${hostName}|${address})`,
    'a host name or address without scheme, port or path, such as minio.example',
  ),
  port: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    description: 'Default: 443, or 80 without SSL.',
  }),
  useSSL: Type.Boolean({ default: true }),
  bucketName: matching(
    '(?!.*\\.\\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]',
    '3 to 63 lower-case letters, digits, dots and hyphens',
  ),
  region: matching('[A-Za-z0-9_-]{1,64}', 'a region such as us-east-1', { default: 'us-east-1' }),
  // A slash separates the parts of a signature's scope.
  accessKeyId: matching(
    '[!-.0-~]{1,256}',
    '1 to 256 visible ASCII characters, none of them a slash',
  ),
  secretAccessKey: matching('[ -~]{1,1024}', '1 to 1024 ASCII characters'),
  presignedUrlExpirySeconds: Type.Integer({
    minimum: 1,
    maximum: maxPresignedUrlExpirySeconds,
    default: maxPresignedUrlExpirySeconds,
  }),
};
export type S3StorageConfig = Wire<typeof s3Config>;
export const s3Config = Type.Object({ ...s3Members, corsAllowedOrigins: orNull(origins) });

export type AzureStorageConfig = Wire<typeof azureConfig>;
export const azureConfig = Type.Object({
  containerName: matching(
    '(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]',
    '3 to 63 lower-case letters, digits and single hyphens',
  ),
  connectionString: Type.String({ minLength: 1, maxLength: 2048 }),
});

// Here a typo would silently change where evidence is stored.
export const strict = { additionalProperties: false };

export type StorageRequest = Wire<typeof storageConfig>;
/** Fields left out keep their values if the stored configuration has the same type, as the description says. */
export const storageConfig = Type.Object(
  {
    s3: Type.Optional(orNull(Type.Partial(s3Config, strict))),
    azure: Type.Optional(orNull(Type.Partial(azureConfig, strict))),
  },
  {
    ...strict,
    description: `Either s3 or azure. Members that are left out, and secrets that are sent back masked, stay as they were; a
stored secret must be sent again for a different place or account. With a different s3.endpoint, port, useSSL and region return to
their defaults if left out; with a different endpoint or bucketName, so do presignedUrlExpirySeconds and
corsAllowedOrigins.`,
  },
);

export type DefaultOptions = Wire<typeof defaultOptions>;
const defaultOptions = Type.Object(
  { tier: oneOf(tiers), decisionStrategy: oneOf(decisionStrategies) },
  {
    ...strict,
    description: `What the console preselects for a new analysis; null for a full report. This does not affect requests: an
option that they leave out has the default given in this document.`,
  },
);

const seenBefore = Type.Boolean({
  description:
    'Whether pictures examined from now on are compared with those examined before: see listSeenBefore.',
});

const readOnly = (what: string) =>
  Type.Optional(Type.Unknown({ readOnly: true, description: `Read-only: ${what}` }));

export const changeQuery = Type.Object({ tenantName: Type.Optional(tenantName) });
export const changeBody = Type.Object(
  {
    tenantName: Type.Optional(tenantName),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: 'The new name.' })),
    storageType: Type.Optional(oneOf(storageTypes)),
    storageConfig: Type.Optional(orNull(storageConfig)),
    webhookUrl: Type.Optional(
      orNull(
        Type.String({
          maxLength: 2048,
          description: 'Null removes it. The administrator must allow webhooks to its address.',
        }),
      ),
    ),
    defaultOptions: Type.Optional(orNull(defaultOptions)),
    seenBefore: Type.Optional(seenBefore),
    id: readOnly('send it as it was returned, or leave it out.'),
    apiKeys: readOnly('send them as they were returned, or leave them out.'),
    analytics: readOnly('leave it out.'),
    isTrial: readOnly('send it as it was returned, or leave it out.'),
    createdDate: readOnly('send it as it was returned, or leave it out.'),
  },
  { examples: [{ tenantName: 'default', webhookUrl: 'https://receiver.example/forensics' }] },
);

/** `corsAllowedOrigins` is absent if the service's own list applies. */
export type S3Response = Wire<typeof s3Response>;
const s3Response = Type.Object({ ...s3Members, corsAllowedOrigins: Type.Optional(origins) });

export type StorageResponse = Wire<typeof storageResponse>;
const storageResponse = Type.Union([
  Type.Object({ s3: s3Response }),
  Type.Object({ azure: azureConfig }),
]);

export type TenantResponse = Wire<typeof tenant>;
const tenant = Type.Object(
  {
    id: Type.String(),
    tenantName: Type.String(),
    name: described('Same as tenantName; this one can be changed.'),
    createdDate: dateTime,
    updatedDate: orNull(dateTime),
    apiKeys: Type.Array(keyEntry),
    storageType: oneOf(storageTypes),
    storageConfig: Type.Optional(storageResponse),
    storageWarning: orNull(described('A problem with the store; null if there is none.')),
    webhookUrl: Type.Optional(Type.String()),
    webhookState: {
      ...oneOf(webhookStates),
      description: `active: the latest message was delivered, or none has been sent yet; retrying: the latest attempt failed, and messages
are still being sent; gone (the receiver returned 410), failing (it failed for days): nothing is sent until webhookUrl is set
again.`,
    },
    isTrial: Type.Boolean(),
    defaultOptions: orNull(defaultOptions),
    seenBefore,
  },
  {
    $id: 'Tenant',
    description:
      "Without storageConfig, the service's own store is used. Secrets are masked and may be sent back masked.",
  },
);

/** Registered by name, so that the OpenAPI document defines it once. */
export const tenantComponents = [tenant];

export const tenantResponse = responseWith(Type.Unsafe<TenantResponse>({ $ref: 'Tenant#' }));

const analysisId = Type.Optional({
  ...objectId,
  description: 'If omitted, applies to all data of the tenant.',
});

export const heldBody = Type.Object({ tenantName, analysisId });
export const newHoldBody = Type.Object({
  ...heldBody.properties,
  reason: visibleText(maxCommentLength),
});

export type LegalHold = Wire<typeof hold>;
const hold = Type.Object({
  analysisId: orNull(
    described('May be the id of a deleted analysis; null for all data of the tenant.'),
  ),
  analysisName: orNull(Type.String()),
  reason: Type.String(),
  createdDate: dateTime,
  createdByUserId: orNull(
    described('Null for a hold placed by the operator of the service, who alone can lift it.'),
  ),
  createdByUserName: orNull(described('The name or, if there is none, the email address.')),
});

export const holdResponse = responseWith(hold);
export const holdsResponse = responseWith(list('Oldest first.', hold));

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
  from: queriedTime('Inclusive; a date means its start.'),
  to: queriedTime('Exclusive; a date means its start.'),
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
  chain: described('Id of the tenant.'),
  seq: Type.Integer({ minimum: 1, description: 'Without gaps.' }),
  at: dateTime,
  actor: Type.Object({
    type: described('user, api (a key), service or operator.'),
    id: orNull(described('Id of the user or key.')),
  }),
  event: Type.String(),
  subject: orNull(described('Id of the object that was acted on.')),
  details: Type.Record(Type.String(), Type.Unknown()),
  previous: described('Hash of the previous entry.'),
  hash: described('SHA-256 of the entry as canonical JSON, without this member.'),
});

export const auditResponse = responseWith(list('Newest first.', entry));

// Messages to a tenant's webhook: their outcome, resending, and test messages.

export const deliveriesQuery = Type.Object({
  tenantName,
  state: Type.Optional(oneOf(deliveryStates)),
  before: Type.Optional({
    ...objectId,
    description: 'Only older messages: to get the next page, send the last id of this one.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxListed, default: 100 })),
});

export type Delivery = Wire<typeof delivery>;
const delivery = Type.Object({
  id: described('The webhook-id header.'),
  event: Type.String(),
  subject: described('Id of the analysis.'),
  state: oneOf(deliveryStates),
  attempts: Type.Integer({ minimum: 0 }),
  lastOutcome: orNull(
    described('Such as http_204, timeout or address_refused; null before the first attempt.'),
  ),
  createdDate: dateTime,
  nextAttemptDate: orNull({
    ...dateTime,
    description:
      'Null for a settled message, and for one that waits for another about the same analysis.',
  }),
  settledDate: orNull(dateTime),
});
export const deliveriesResponse = responseWith(
  list('Newest first: waiting messages, and those settled in the last 30 days.', delivery),
);

export const replayBody = Type.Object({
  tenantName,
  id: Type.Optional({
    ...objectId,
    description: 'If omitted, all messages that could not be delivered.',
  }),
});
export const replayResponse = responseWith(Type.Object({ replayed: Type.Integer({ minimum: 0 }) }));

export type WebhookTest = Wire<typeof webhookTest>;
const webhookTest = Type.Object({
  isAccepted: Type.Boolean(),
  outcome: described('Such as http_204, timeout or address_refused.'),
  tookMs: Type.Integer({ minimum: 0 }),
});
export const webhookTestResponse = responseWith(webhookTest);
