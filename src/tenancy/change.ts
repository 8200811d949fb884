/** Changes of a tenant by its own people: checked, a new store proven, then written in one transaction. */

import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import { type Tenant, type TenantChange, updateTenant } from '../access/tenants.ts';
import type { Actor } from '../audit/entry.ts';
import type { ConfigRow } from '../blobs/sealed-configs.ts';
import type { StorageConfig } from '../blobs/storage-config.ts';
import { type Reader, transact } from '../db/open.ts';
import { tenants } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { complaintAbout } from './check-webhook.ts';
import { type Context, type StoredConfig, storedConfigOf } from './context.ts';
import { mergeStorage } from './merge-storage.ts';
import { type ReadOnlyFields, refuseReadOnly } from './read-only.ts';
import type { StorageRequest } from './storage-wire.ts';
import { readTenant, type TenantAnswer } from './view.ts';
import type { StorageType } from '../contract/vocabulary.ts';

export interface TenantRequest extends Pick<TenantChange, 'name' | 'webhookUrl'>, ReadOnlyFields {
  readonly storageType?: StorageType;
  /** Null: from now on the service's own store. */
  readonly storageConfig?: StorageRequest | null;
}

export interface ChangeAct {
  readonly tenant: Tenant;
  readonly request: TenantRequest;
  readonly by: Actor;
}

/**
 * @throws {ForensicsError} `invalid_request`; `conflict` when the name is taken, or the storage was changed meanwhile;
 * `store_refused` and `store_unavailable` when a new store does not work: then nothing is changed.
 */
export async function changeTenant(
  context: Context,
  { tenant, request, by }: ChangeAct,
): Promise<TenantAnswer> {
  refuseReadOnly(request, await readTenant(context, tenant));
  refuseForbiddenWebhook(context, tenant, request);
  const before = storedConfigOf(context, tenant);
  const storage = newStorage(context, before, request);
  if (storage?.config != null) await context.openRemote(storage.config).probe();
  const changed = write(context, { tenant, before, request, by, storage });
  if (request.storageConfig?.s3?.corsAllowedOrigins != null) {
    await applyCors(context, changed);
  }
  return readTenant(context, changed);
}

/** What was answered may be sent back, also when the settings have changed since it was set. */
function refuseForbiddenWebhook(
  { webhookGuard }: Pick<Context, 'webhookGuard'>,
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
  { defaultType }: Pick<Context, 'defaultType'>,
  before: StoredConfig | null,
  { storageType, storageConfig }: TenantRequest,
): NewStorage | null {
  if (storageConfig === undefined) {
    refuseOtherType(storageType, before?.row.type ?? defaultType, defaultType);
    return null;
  }
  const config =
    storageConfig === null ? null : mergeStorage(before?.config ?? null, storageConfig);
  refuseOtherType(storageType, config?.type ?? defaultType, defaultType);
  const isSame = config === null ? before === null : isDeepStrictEqual(config, before?.config);
  return isSame ? null : { config };
}

/** Whoever wants the service's own store instead of another one says so with `null`. */
function refuseOtherType(
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

function write({ db, configs, now }: Context, { tenant, before, request, by, storage }: Writing) {
  const { id } = tenant;
  const { name, webhookUrl } = request;
  return transact(db, (tx) => {
    const change: Parameters<typeof updateTenant>[1]['change'] = {
      ...(name === undefined ? {} : { name }),
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
    };
    if (storage === null) return updateTenant(tx, { id, change, at: now(), by });
    refuseIfMoved(before, currentRow(tx, configs, id));
    const storageConfigId = storage.config === null ? null : configs.save(tx, id, storage.config);
    return updateTenant(tx, { id, change: { ...change, storageConfigId }, at: now(), by });
  });
}

function currentRow(reader: Reader, configs: Context['configs'], tenantId: string) {
  const { storageConfigId } = tenants;
  const row = reader
    .select({ storageConfigId })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
    .get();
  const id = row?.storageConfigId ?? null;
  return id === null ? null : configs.find(reader, { tenantId, id });
}

/** What was merged and proven was made of `before`: somebody else's change in between must not be undone unseen. */
function refuseIfMoved(before: StoredConfig | null, now: ConfigRow | null): void {
  const isSame = isDeepStrictEqual(before?.row.sealed, now?.sealed);
  if (isSame && before?.row.id === now?.id) return;
  throw new ForensicsError(
    'conflict',
    'The storage configuration was changed at the same time; read it and send your change again.',
  );
}

async function applyCors(context: Context, tenant: Tenant): Promise<void> {
  const stored = storedConfigOf(context, tenant);
  if (stored === null || stored.config === null) return;
  const { row, config } = stored;
  await context.cors.apply(row, config, context.openRemote(config));
}
