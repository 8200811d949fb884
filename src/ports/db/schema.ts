/** The tables as the program sees them; `sql/` creates them. Dates are ms since 1970, lists and objects JSON text. */

import { blob, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { CaseData } from '../../contract/analysis.ts';
import type { FeedbackMessage } from '../../contract/auth.ts';
import type { Format } from '../../contract/vocabulary.ts';
import type { DefaultOptions } from '../../contract/tenant.ts';
import type { FailureReason } from '../../contract/errors.ts';

const date = (name: string) => integer(name, { mode: 'timestamp_ms' });
const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();
const flag = (name: string) => integer(name, { mode: 'boolean' });

export const tenants = sqliteTable('tenants', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  /** Middle part of the tenant's API keys; stays the same if the tenant is renamed. */
  keyTag: text('key_tag').notNull().unique(),
  isTrial: flag('is_trial').notNull(),
  webhookUrl: text('webhook_url'),
  /** Set when the receiver returned 410 or failed for too long; cleared by a new URL. */
  webhookDisabledAt: date('webhook_disabled_at'),
  webhookDisabledReason: text('webhook_disabled_reason').$type<'gone' | 'failing'>(),
  /** First failed attempt since the last success; null while deliveries succeed. */
  webhookFailingSince: date('webhook_failing_since'),
  /** Store for new analyses; null for the default one. */
  storageConfigId: text('storage_config_id'),
  /** Options that the console preselects for new analyses; null for the defaults. */
  defaultOptions: json<DefaultOptions>('default_options'),
  /** Whether new pictures are compared with the tenant's earlier ones. */
  seenBefore: flag('seen_before').notNull().default(true),
  createdAt: date('created_at').notNull(),
  updatedAt: date('updated_at'),
  /** When the tenant lost access; the row is removed with the last of its data. The name changes: see `endTenant`. */
  deletedAt: date('deleted_at'),
});

/** All names a tenant ever had: claims, scripts and links may use them, so none may come to mean another tenant. */
export const tenantNames = sqliteTable('tenant_names', {
  name: text('name').primaryKey(),
  tenantId: text('tenant_id').notNull(),
});

export const apiKeys = sqliteTable('api_keys', {
  uuid: text('uuid').primaryKey(),
  tenantId: text('tenant_id').notNull(),
  name: text('name').notNull(),
  /** HMAC-SHA-256 of the whole key, with the server's pepper. */
  digest: blob('digest', { mode: 'buffer' }).notNull().unique(),
  /** Last four characters, for showing the key in masked form. */
  ending: text('ending').notNull(),
  createdAt: date('created_at').notNull(),
  expiresAt: date('expires_at').notNull(),
  /** The row of a revoked key is kept, so that its error differs from that of a wrong secret. */
  revokedAt: date('revoked_at'),
  /** When a rotation replaced it; null while it is the current key with this name. */
  replacedAt: date('replaced_at'),
  /** Accurate to the minute, so that a frequently used key does not cause a write for every request. */
  lastUsedAt: date('last_used_at'),
});

/**
 * A place where objects of a tenant are or were stored. There is one row per place: new credentials for the same place
 * change its row, and a new place gets a new row, so that every analysis stays readable where it was created.
 */
export const storageConfigs = sqliteTable(
  'storage_configs',
  {
    id: text('id').primaryKey(),
    tenantId: text('tenant_id').notNull(),
    type: text('type').$type<'azure' | 's3'>().notNull(),
    /** Identifies the place: endpoint and bucket, or account and container. */
    place: text('place').notNull(),
    /** The configuration as JSON, encrypted with AES-256-GCM, and bound to the tenant. */
    sealed: blob('sealed', { mode: 'buffer' }).notNull(),
    /** Origins that were last applied to the bucket; null if none were. */
    corsApplied: json<readonly string[]>('cors_applied'),
    /** Why the origins could not be applied; null if they were. */
    corsWarning: text('cors_warning'),
    createdAt: date('created_at').notNull(),
    updatedAt: date('updated_at').notNull(),
  },
  (table) => [unique().on(table.tenantId, table.place)],
);

/** User accounts: embedded ones have a `password_hash`; those of an identity provider have `issuer` and `subject`. */
export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name'),
    nameFolded: text('name_folded').notNull(),
    userType: text('user_type').notNull(),
    scopes: json<readonly string[]>('scopes').notNull(),
    passwordHash: text('password_hash'),
    issuer: text('issuer'),
    subject: text('subject'),
    lang: text('lang').notNull(),
    tosAccepted: flag('tos_accepted').notNull(),
    /** Tokens issued before this are invalid. */
    tokensValidFrom: date('tokens_valid_from').notNull(),
    disabledAt: date('disabled_at'),
    createdAt: date('created_at').notNull(),
    lastLoginAt: date('last_login_at'),
  },
  (table) => [unique().on(table.issuer, table.subject)],
);

/** The tenants of embedded accounts; with an identity provider, each token states them. */
export const userTenants = sqliteTable(
  'user_tenants',
  { userId: text('user_id').notNull(), tenantId: text('tenant_id').notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.tenantId] })],
);

/**
 * Failed logins by the address that was entered, whether or not an account has it: otherwise the lock would reveal
 * which addresses have accounts. One row per address, and one for each place from which attempts came.
 */
export const loginAttempts = sqliteTable('login_attempts', {
  /** HMAC-SHA-256 of the address, as people type passwords into the wrong field; or of the address and the place. */
  address: blob('address', { mode: 'buffer' }).primaryKey(),
  failures: integer('failures').notNull(),
  lastAt: date('last_at').notNull(),
  lockedUntil: date('locked_until'),
});

/** One row per login of an embedded account. */
export const sessions = sqliteTable('sessions', {
  id: text('id').primaryKey(),
  userId: text('user_id').notNull(),
  createdAt: date('created_at').notNull(),
  /** Refreshing never extends a session beyond this time. */
  expiresAt: date('expires_at').notNull(),
  revokedAt: date('revoked_at'),
});

/** Every refresh token of a session. If a used token is presented again, it was stolen, and the session ends. */
export const refreshTokens = sqliteTable('refresh_tokens', {
  digest: blob('digest', { mode: 'buffer' }).primaryKey(),
  sessionId: text('session_id').notNull(),
  createdAt: date('created_at').notNull(),
  expiresAt: date('expires_at').notNull(),
  usedAt: date('used_at'),
});

/** State of delivery through one channel. */
export interface FeedbackOutcome {
  readonly state: 'waiting' | 'sent' | 'given_up';
  readonly attempts: number;
  /** Outcome of the latest attempt, such as `http_503` or `timeout`; null before the first attempt. */
  readonly detail: string | null;
}

export const feedback = sqliteTable('feedback', {
  id: text('id').primaryKey(),
  tenantId: text('tenant_id').notNull(),
  userId: text('user_id').notNull(),
  source: text('source').notNull(),
  message: json<FeedbackMessage>('message').notNull(),
  createdAt: date('created_at').notNull(),
  /** Outcomes by channel; empty if no channel was configured. */
  outcomes: json<Readonly<Record<string, FeedbackOutcome>>>('outcomes').notNull(),
});

export const analyses = sqliteTable('analyses', {
  id: text('id').primaryKey(),
  tenantId: text('tenant_id').notNull(),
  projectId: text('project_id'),
  name: text('name').notNull(),
  nameFolded: text('name_folded').notNull(),
  comment: text('comment').notNull(),
  /** Includes the other texts that a search reads: see `foldDescription`. */
  commentFolded: text('comment_folded').notNull(),
  tags: json<readonly string[]>('tags').notNull(),
  caseData: json<CaseData>('case_data'),
  storageType: text('storage_type').$type<'azure' | 's3'>().notNull(),
  /** Store of the analysis's objects; null for the default store. */
  storageConfigId: text('storage_config_id'),
  format: text('format').$type<Format>().notNull(),
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  filename: text('filename').notNull(),
  /** Key to which the client uploads, and which the client can overwrite until the URL expires. */
  inputKey: text('input_key').notNull(),
  /** ETag of the upload when it was copied; null before that, and for analyses from earlier versions. */
  inputEtag: text('input_etag'),
  /** When it was noticed that the client had replaced the upload after the start of the analysis. */
  inputReplacedAt: date('input_replaced_at'),
  model: text('model').notNull(),
  modelVersion: text('model_version').notNull(),
  decisionStrategy: text('decision_strategy').$type<'pedantic' | 'default' | 'relaxed'>().notNull(),
  tier: text('tier').$type<'flagging' | 'forensicReporting'>().notNull(),
  seed: integer('seed').notNull(),
  status: text('status').$type<'pending' | 'processing' | 'completed' | 'failed'>().notNull(),
  statusMessage: text('status_message').notNull(),
  /** Why the analysis failed; null also for failures recorded by versions before 0.7. */
  failure: json<FailureReason>('failure'),
  retryCount: integer('retry_count').notNull(),
  /** When it was started or retried; null while it waits for its start rather than for a worker. */
  queuedAt: date('queued_at'),
  processingStartedAt: date('processing_started_at'),
  processingFinishedAt: date('processing_finished_at'),
  /** Whether other analyses of the tenant were waiting or in progress when this one was started. */
  isBulk: flag('is_bulk'),
  /** Copy of the upload, which is what is examined; no URL is ever signed for it. */
  evidenceKey: text('evidence_key'),
  evidenceSha256: text('evidence_sha256'),
  evidenceMd5: text('evidence_md5'),
  createdAt: date('created_at').notNull(),
  updatedAt: date('updated_at'),
  deletedAt: date('deleted_at'),
  createdByType: text('created_by_type').$type<'user' | 'api' | 'system'>(),
  createdById: text('created_by_id'),
  lastChangedByType: text('last_changed_by_type').$type<'user' | 'api' | 'system'>(),
  lastChangedById: text('last_changed_by_id'),
  tierUpgradedFrom: text('tier_upgraded_from').$type<'flagging' | 'forensicReporting'>(),
  tierUpgradedAt: date('tier_upgraded_at'),
});

/** The result of a run. Short columns come first, so that lists never read the long ones that follow. */
export const examinations = sqliteTable('examinations', {
  analysisId: text('analysis_id').primaryKey(),
  resultClass: integer('result_class').notNull(),
  resultSubClasses: json<readonly number[]>('result_sub_classes').notNull(),
  examinedAt: date('examined_at').notNull(),
  /** Predictions, uncertainties, similarities and anomaly, as JSON. */
  scores: text('scores').notNull(),
  /** Object keys of heatmaps and reports, and the texts of the reports, as JSON; null until rendered. */
  rendered: text('rendered'),
  /** The whole examination without its map values, as JSON. */
  examination: text('examination').notNull(),
  /** 16-bit little-endian numbers, one per cell. */
  realMap: blob('real_map', { mode: 'buffer' }).notNull(),
  fakeMap: blob('fake_map', { mode: 'buffer' }).notNull(),
  compressionMap: blob('compression_map', { mode: 'buffer' }).notNull(),
  anomalyMap: blob('anomaly_map', { mode: 'buffer' }).notNull(),
  /** Maps of single methods, one after another as in the examination; null for examinations from earlier versions. */
  methodMaps: blob('method_maps', { mode: 'buffer' }),
});

/** Fingerprints for recognising copies of pictures; the next table has the search keys. See `seen-before.ts`. */
export const fingerprints = sqliteTable('fingerprints', {
  id: integer('id').primaryKey(),
  analysisId: text('analysis_id').notNull().unique(),
  packed: blob('packed', { mode: 'buffer' }).notNull(),
  /** Those keys of a fingerprint that represent statements in the file itself. */
  facts: json<readonly number[]>('facts').notNull(),
});

export const fingerprintKeys = sqliteTable(
  'fingerprint_keys',
  { key: integer('key').notNull(), fingerprint: integer('fingerprint').notNull() },
  (table) => [primaryKey({ columns: [table.key, table.fingerprint] })],
);

/** JPEG files with sides of at most 160 pixels, for lists. */
export const thumbnails = sqliteTable('thumbnails', {
  analysisId: text('analysis_id').primaryKey(),
  jpeg: blob('jpeg', { mode: 'buffer' }).notNull(),
});

/** Analyses that must not be purged, regardless of age. */
export const legalHolds = sqliteTable(
  'legal_holds',
  {
    tenantId: text('tenant_id').notNull(),
    /** Empty for a hold on all analyses of the tenant. */
    analysisId: text('analysis_id').notNull(),
    reason: text('reason').notNull(),
    createdAt: date('created_at').notNull(),
    /** Null if the operator set the hold. */
    createdByUserId: text('created_by_user_id'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.analysisId] })],
);

/** Objects to which no analysis refers, either not yet or no longer. */
export const orphanObjects = sqliteTable('loose_objects', {
  id: integer('id').primaryKey(),
  tenantId: text('tenant_id').notNull(),
  storageConfigId: text('storage_config_id'),
  key: text('key').notNull(),
  /** When it may be deleted from its store. */
  sweepAt: date('sweep_at').notNull(),
});

export const jobs = sqliteTable('jobs', {
  id: text('id').primaryKey(),
  kind: text('kind').notNull(),
  payload: json<unknown>('payload').notNull(),
  /** The tenant for which the work is done; null for the service itself. */
  owner: text('owner'),
  runAt: date('run_at').notNull(),
  /** Incremented whenever the job is claimed; a result is accepted only with the latest number. */
  fence: integer('fence').notNull(),
  leasedBy: text('leased_by'),
  leasedUntil: date('leased_until'),
  /** Always false; earlier versions set it when a job was taken over from a dead worker. */
  wasAbandoned: flag('was_abandoned').notNull(),
  createdAt: date('created_at').notNull(),
});

export const deliveries = sqliteTable('webhook_deliveries', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  id: text('id').notNull().unique(),
  tenantId: text('tenant_id').notNull(),
  /** What the message is about; messages about the same subject are sent in order. */
  subject: text('subject').notNull(),
  event: text('event').notNull(),
  payload: text('payload').notNull(),
  state: text('state').$type<'waiting' | 'delivered' | 'given_up'>().notNull(),
  attempts: integer('attempts').notNull(),
  /** Null while an earlier message about the same subject is waiting; during an attempt, the end of its lease. */
  nextAttemptAt: date('next_attempt_at'),
  fence: integer('fence').notNull(),
  lastOutcome: text('last_outcome'),
  createdAt: date('created_at').notNull(),
  settledAt: date('settled_at'),
});

export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    tenantId: text('tenant_id').notNull(),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    /** Id of what the first request with this key created or started. */
    subject: text('subject').notNull(),
    createdAt: date('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.key] })],
);

/** Numbers of events by tenant and UTC day, counted in the same transaction as the event. */
export const usageCounters = sqliteTable(
  'usage_counters',
  {
    tenantId: text('tenant_id').notNull(),
    /** `YYYY-MM-DD`. */
    day: text('day').notNull(),
    counter: text('counter').notNull(),
    amount: integer('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.day, table.counter] })],
);

/** The audit log: one chain of entries per tenant, and one for the service. Triggers prevent changes and deletions. */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    chain: text('chain').notNull(),
    /** Numbered from 1, without gaps. */
    seq: integer('seq').notNull(),
    /** Canonical JSON (RFC 8785); src/service/audit defines its fields. */
    entry: text('entry').notNull(),
    /** SHA-256 of `entry`, lower-case hex. */
    hash: text('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chain, table.seq] })],
);

/** The end of each chain, which shows whether entries were cut off. */
export const auditHeads = sqliteTable('audit_heads', {
  chain: text('chain').primaryKey(),
  /** 0 for a chain that lacks its first entry, the entry that records that the chain is younger than its tenant. */
  count: integer('count').notNull(),
  /** Hash of the last entry. */
  hash: text('hash').notNull(),
});

export const settings = sqliteTable('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});
