/**
 * Tenants as their own people see and change them: name, webhook, and where their objects lie. Knows no requests; that
 * the caller may act for the tenant was checked before.
 */

import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import type { Keys } from '../access/keys.ts';
import type { Actor } from '../audit/entry.ts';
import type { StorageRequest, TenantAnswer } from '../../contract/tenant.ts';
import type { StorageType, WebhookState } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import { type Db, type Reader, transact } from '../../ports/db/database.ts';
import { tenants } from '../../ports/db/schema.ts';
import type { ConnectionGuard } from '../../ports/network/address-guard.ts';
import type { BucketCors } from '../../ports/storage/bucket-cors.ts';
import type { ConfigRow, SealedConfigs } from '../../ports/storage/configs.ts';
import type { StorageConfig } from '../../ports/storage/storage-config.ts';
import type { OpenRemoteStore } from '../../ports/storage/stores.ts';
import { maskStorage, mergeStorage } from './merge-storage.ts';
import { type Tenant, type TenantChange, updateTenant } from './tenants.ts';

export interface Tenancy {
  /** With masked secrets. */
  read(tenant: Tenant): Promise<TenantAnswer>;
  /**
   * Changes what the request names and answers the tenant as it is then. Takes its own answer back unchanged.
   *
   * @throws {ForensicsError} `invalid_request`, `conflict`, `store_refused`, `store_unavailable`: nothing is changed then.
   */
  change(tenant: Tenant, request: TenantRequest, by: Actor): Promise<TenantAnswer>;
}

export interface TenancyContext {
  readonly db: Db;
  readonly keys: Pick<Keys, 'list'>;
  readonly configs: SealedConfigs;
  readonly cors: Pick<BucketCors, 'apply'>;
  readonly openRemote: OpenRemoteStore;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
  /** Where webhooks may go; null allows every URL, for callers that do not know the settings of the server. */
  readonly webhookGuard: WebhookGuard | null;
  readonly now: () => Date;
}

export function createTenancy(context: TenancyContext): Tenancy {
  return {
    read: (tenant) => readTenant(context, tenant),
    change: (tenant, request, by) => changeTenant(context, { tenant, request, by }),
  };
}

/** Changes of a tenant by its own people: checked, a new store proven, then written in one transaction. */
export interface TenantRequest
  extends Pick<TenantChange, 'name' | 'webhookUrl' | 'defaultOptions' | 'seenBefore'>,
    ReadOnlyFields {
  readonly storageType?: StorageType;
  /** Null: from now on the service's own store. */
  readonly storageConfig?: StorageRequest | null;
}

interface ChangeAct {
  readonly tenant: Tenant;
  readonly request: TenantRequest;
  readonly by: Actor;
}

/**
 * @throws {ForensicsError} `invalid_request`; `conflict` when the name is in use, or the storage was changed meanwhile;
 * `store_refused` and `store_unavailable` when a new store does not work: then nothing is changed.
 */
async function changeTenant(
  context: TenancyContext,
  { tenant, request, by }: ChangeAct,
): Promise<TenantAnswer> {
  assertReadOnlyUnchanged(request, await readTenant(context, tenant));
  assertWebhookAllowed(context, tenant, request);
  const before = await readStoredConfig(context, tenant);
  const storage = newStorage(context, before, request);
  if (storage?.config != null) await context.openRemote(storage.config).probe();
  const changed = await write(context, { tenant, before, request, by, storage });
  if (request.storageConfig?.s3?.corsAllowedOrigins != null) {
    await applyCors(context, changed);
  }
  return readTenant(context, changed);
}

/** What was answered may be sent back, also when the settings have changed since it was set. */
function assertWebhookAllowed(
  { webhookGuard }: Pick<TenancyContext, 'webhookGuard'>,
  tenant: Tenant,
  { webhookUrl = null }: TenantRequest,
): void {
  if (webhookGuard === null || webhookUrl === null || webhookUrl === tenant.webhookUrl) return;
  const complaint = complaintAbout(webhookUrl, webhookGuard);
  if (complaint !== null) throw new ForensicsError('invalid_request', complaint);
}

interface NewStorage {
  /** Null for the service's own store. */
  readonly config: StorageConfig | null;
}

/** Null when everything stays as it is. */
function newStorage(
  { defaultType }: Pick<TenancyContext, 'defaultType'>,
  before: StoredConfig | null,
  { storageType, storageConfig }: TenantRequest,
): NewStorage | null {
  if (storageConfig === undefined) {
    assertStorageType(storageType, before?.row.type ?? defaultType, defaultType);
    return null;
  }
  const config =
    storageConfig === null ? null : mergeStorage(before?.config ?? null, storageConfig);
  assertStorageType(storageType, config?.type ?? defaultType, defaultType);
  const isSame = config === null ? before === null : isDeepStrictEqual(config, before?.config);
  return isSame ? null : { config };
}

/** `null` selects the service's own store. */
function assertStorageType(
  wanted: StorageType | undefined,
  actual: StorageType,
  defaultType: StorageType,
): void {
  if (wanted === undefined || wanted === actual) return;
  throw new ForensicsError(
    'invalid_request',
    `storageType ${wanted} needs storageConfig.${wanted}; storageConfig null means the service's own store, whose type is ${defaultType}.`,
  );
}

interface Writing extends ChangeAct {
  readonly before: StoredConfig | null;
  readonly storage: NewStorage | null;
}

async function write(
  { db, configs, now }: TenancyContext,
  { tenant, before, request, by, storage }: Writing,
) {
  const { id } = tenant;
  const { name, webhookUrl, defaultOptions, seenBefore } = request;
  return transact(db, async (tx) => {
    const change: Parameters<typeof updateTenant>[1]['change'] = {
      ...(name === undefined ? {} : { name }),
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(defaultOptions === undefined ? {} : { defaultOptions }),
      ...(seenBefore === undefined ? {} : { seenBefore }),
    };
    if (storage === null) return updateTenant(tx, { id, change, at: now(), by });
    assertStorageUnchanged(before, await currentRow(tx, configs, id));
    const storageConfigId =
      storage.config === null ? null : await configs.save(tx, id, storage.config);
    return updateTenant(tx, { id, change: { ...change, storageConfigId }, at: now(), by });
  });
}

async function currentRow(reader: Reader, configs: TenancyContext['configs'], tenantId: string) {
  const { storageConfigId } = tenants;
  const row = await reader
    .select({ storageConfigId })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
    .get();
  const id = row?.storageConfigId ?? null;
  return id === null ? null : await configs.find(reader, { tenantId, id });
}

/** What was merged and proven was made of `before`: a concurrent change must not be undone unnoticed. */
function assertStorageUnchanged(before: StoredConfig | null, now: ConfigRow | null): void {
  const isSame = isDeepStrictEqual(before?.row.sealed, now?.sealed);
  if (isSame && before?.row.id === now?.id) return;
  throw new ForensicsError(
    'conflict',
    'The storage configuration was changed at the same time; read it and send your change again.',
  );
}

async function applyCors(context: TenancyContext, tenant: Tenant): Promise<void> {
  const stored = await readStoredConfig(context, tenant);
  if (stored === null || stored.config === null) return;
  const { row, config } = stored;
  await context.cors.apply(row, config, context.openRemote(config));
}

/** Members that a client may send back as they were answered, and change nothing by. */
interface ReadOnlyFields {
  readonly id?: unknown;
  readonly apiKeys?: unknown;
  readonly analytics?: unknown;
  readonly isTrial?: unknown;
  readonly createdDate?: unknown;
}

const readOnly = ['id', 'apiKeys', 'analytics', 'isTrial', 'createdDate'] as const;

/**
 * Momentary fields (`updatedDate`, `webhookState`, `storageWarning`, the last use and the end of a key) are not compared.
 *
 * @throws {ForensicsError} `invalid_request` for a member that is not as it was answered.
 */
function assertReadOnlyUnchanged(request: ReadOnlyFields, answered: TenantAnswer): void {
  const known: ReadOnlyFields = { ...answered, apiKeys: asOfAnyMoment(answered.apiKeys) };
  for (const member of readOnly) {
    const sent = member === 'apiKeys' ? asOfAnyMoment(request.apiKeys) : request[member];
    if (sent === undefined || isDeepStrictEqual(sent, known[member])) continue;
    throw new ForensicsError(
      'invalid_request',
      `${member} is read-only here; leave it out, or send it as GET /v1/tenant answered it.`,
    );
  }
}

function asOfAnyMoment(apiKeys: unknown): unknown {
  if (!Array.isArray(apiKeys)) return apiKeys;
  return apiKeys.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? { ...entry, lastUsedDate: null, ended: null }
      : entry,
  );
}

/** The row of a tenant's own store, and its content; null when it cannot be opened. */
interface StoredConfig {
  readonly row: ConfigRow;
  readonly config: StorageConfig | null;
}

/** Null for the service's own store. */
async function readStoredConfig(
  { db, configs }: Pick<TenancyContext, 'db' | 'configs'>,
  { id: tenantId, storageConfigId }: Tenant,
): Promise<StoredConfig | null> {
  if (storageConfigId === null) return null;
  const row = await configs.find(db, { tenantId, id: storageConfigId });
  if (row === null) throw new TypeError('the configuration is not one of the tenant');
  return { row, config: openOrNull(configs, row) };
}

function openOrNull(configs: Pick<SealedConfigs, 'open'>, row: ConfigRow): StorageConfig | null {
  try {
    return configs.open(row);
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'store_unavailable') return null;
    throw error;
  }
}

/** The contract's Tenant, as it is answered. What is not set is left out; secrets are masked. */
async function readTenant(context: TenancyContext, tenant: Tenant): Promise<TenantAnswer> {
  const { id, name, createdAt, updatedAt, isTrial, webhookUrl } = tenant;
  const stored = await readStoredConfig(context, tenant);
  const config = stored?.config ?? null;
  return {
    id,
    tenantName: name,
    name,
    createdDate: createdAt.toISOString(),
    updatedDate: updatedAt?.toISOString() ?? null,
    apiKeys: await context.keys.list(id),
    storageType: stored?.row.type ?? context.defaultType,
    ...(config === null ? {} : { storageConfig: maskStorage(config) }),
    storageWarning: describeWarning(stored),
    ...(webhookUrl === null ? {} : { webhookUrl }),
    webhookState: readWebhookState(tenant),
    isTrial,
    defaultOptions: tenant.defaultOptions,
    seenBefore: tenant.seenBefore,
  };
}

export function readWebhookState(tenant: Tenant): WebhookState {
  if (tenant.webhookUrl === null) return 'none';
  if (tenant.webhookDisabledAt !== null) return tenant.webhookDisabledReason ?? 'gone';
  return tenant.webhookFailingSince === null ? 'active' : 'retrying';
}

function describeWarning(stored: StoredConfig | null): string | null {
  if (stored === null) return null;
  if (stored.config === null) {
    return 'The storage configuration cannot be opened with the present master key; put that key back, or send the whole configuration again.';
  }
  const { corsWarning } = stored.row;
  return corsWarning === null ? null : `Browsers may be kept from the bucket: ${corsWarning}`;
}

export type WebhookGuard = Pick<ConnectionGuard, 'refusalOf'>;

/**
 * Why nothing could ever be delivered to this URL: null for names, which are judged whenever they are called, and for
 * what is no URL at all.
 */
export function complaintAbout(webhookUrl: string, guard: WebhookGuard): string | null {
  const host = URL.parse(webhookUrl)?.hostname ?? '';
  if (guard.refusalOf(host) === null) return null;
  return 'webhookUrl names an address that webhooks may not go to; which ones they may, the administrator says with webhookAllow.';
}
