/** A tenant as its members see and change it. Callers have checked that the user may act for it. */

import { withoutUndefined } from '../../contract/common.ts';
import { isDeepStrictEqual } from 'node:util';
import { eq, and, isNull } from 'drizzle-orm';
import type { Keys } from '../access/keys.ts';
import type { Actor } from '../audit/entry.ts';
import type { StorageRequest, TenantResponse } from '../../contract/tenant.ts';
import type { StorageType, WebhookState } from '../../contract/vocabulary.ts';
import { ForensicsError, nullOn, conflict, invalidRequest } from '../../contract/errors.ts';
import { transact, type Clocked, type Db, type Tx } from '../../ports/db/database.ts';
import { tenants, apiKeys, tenantNames, userTenants } from '../../ports/db/schema.ts';
import { createAddressGuard, createConnectionGuard } from '../../ports/network/address-guard.ts';
import type { BucketCors, OpenRemoteStore } from '../../ports/storage/stores.ts';
import type { ConfigRow, SealedConfigs, StorageConfig } from '../../ports/storage/configs.ts';
import { maskStorage, mergeStorage } from './merge-storage.ts';
import {
  type Tenant,
  type TenantChange,
  updateTenant,
  freshWebhook,
  activeTenant,
} from './tenants.ts';
import { auditTenants } from '../access/user-facts.ts';
import { endAccess, findTenantIds } from '../access/users.ts';
import { findHolds } from '../holds/legal-holds.ts';
import { hideAnalyses } from '../analyses/retention.ts';
import { append } from '../audit/log.ts';
import { createQueue } from '../jobs/queue.ts';
import { createOutbox } from '../webhooks/outbox.ts';

export type Tenancy = ReturnType<typeof createTenancy>;

export interface TenancyContext extends Clocked {
  readonly keys: Pick<Keys, 'list'>;
  readonly configs: SealedConfigs;
  readonly cors: Pick<BucketCors, 'apply'>;
  readonly openRemote: OpenRemoteStore;
  readonly defaultType: StorageType;
  /** Where webhooks may go. Null allows every URL, for callers without the server's settings. */
  readonly webhookAllow: readonly string[] | null;
}

export function createTenancy(context: TenancyContext) {
  return {
    read: (tenant: Tenant) => readTenant(context, tenant),
    /** What was returned can be sent back. @throws {ForensicsError} `invalid_request`, `conflict`, `store_refused`. */
    change: (tenant: Tenant, request: TenantRequest, by: Actor) =>
      changeTenant(context, { tenant, request, by }),
  };
}

/** A change by the tenant's own members. A new store is tested first; then all is written in one transaction. */
export interface TenantRequest
  extends Pick<TenantChange, 'name' | 'webhookUrl' | 'defaultOptions' | 'seenBefore'>,
    ReadOnlyMembers {
  readonly storageType?: StorageType;
  /** Null switches to the service's own store. */
  readonly storageConfig?: StorageRequest | null;
}

async function changeTenant(
  context: TenancyContext,
  { tenant, request, by }: { tenant: Tenant; request: TenantRequest; by: Actor },
): Promise<TenantResponse> {
  const { db, configs, cors, openRemote, webhookAllow, now } = context;
  const { id } = tenant;
  assertReadOnlyUnchanged(request, await readTenant(context, tenant));
  const { name, webhookUrl, defaultOptions, seenBefore } = request;
  // A URL already stored may be sent back, even if the settings no longer allow it.
  if (webhookAllow !== null && webhookUrl != null && webhookUrl !== tenant.webhookUrl) {
    const complaint = complaintAbout(webhookUrl, webhookAllow);
    if (complaint !== null) throw invalidRequest(complaint);
  }
  const before = await readStoredConfig(context, tenant);
  const storage = newStorage(context, before, request);
  if (storage?.config != null) {
    const probing = openRemote(storage.config).probe();
    await probing.catch((cause: unknown) => {
      // Here, a store that does not work is the caller's mistake.
      if (!(cause instanceof ForensicsError) || cause.status < 500) throw cause;
      throw new ForensicsError('store_refused', cause.message, { cause });
    });
  }
  const changed = await transact(db, async (tx) => {
    const change = withoutUndefined({ name, webhookUrl, defaultOptions, seenBefore });
    if (storage === null) return updateTenant(tx, { id, change, at: now(), by });
    const { storageConfigId: heldId } = await activeTenant(tx, id);
    const held = heldId === null ? null : await configs.find(tx, { tenantId: id, id: heldId });
    assertStorageUnchanged(before, held);
    const storageConfigId = storage.config && (await configs.save(tx, id, storage.config));
    return updateTenant(tx, { id, change: { ...change, storageConfigId }, at: now(), by });
  });
  if (request.storageConfig?.s3?.corsAllowedOrigins != null) {
    const { row, config } = (await readStoredConfig(context, changed)) ?? {};
    if (row && config) await cors.apply(row, config, openRemote(config));
  }
  return readTenant(context, changed);
}

/** Returns null if the storage stays as it is; its `config` is null for the service's own store. */
function newStorage(
  { defaultType }: Pick<TenancyContext, 'defaultType'>,
  before: StoredConfig | null,
  { storageType, storageConfig }: TenantRequest,
): Pick<StoredConfig, 'config'> | null {
  const stored = before?.config ?? null;
  const config = storageConfig == null ? null : mergeStorage(stored, storageConfig);
  const own = storageConfig === undefined ? before?.row.type : config?.type;
  if (storageType !== undefined && storageType !== (own ?? defaultType)) {
    throw invalidRequest(
      `storageType ${storageType} needs storageConfig.${storageType}; storageConfig null means the service's own store, whose type is ${defaultType}.`,
    );
  }
  if (storageConfig === undefined) return null;
  const isSame = config === null ? before === null : isDeepStrictEqual(config, before?.config);
  return isSame ? null : { config };
}

/** The new configuration was merged from `before`, so writing it must not silently undo a concurrent change. */
function assertStorageUnchanged(before: StoredConfig | null, now: ConfigRow | null): void {
  const isSame = isDeepStrictEqual(before?.row.sealed, now?.sealed);
  if (isSame && before?.row.id === now?.id) return;
  throw conflict(
    'Somebody else changed the storage configuration at the same time; read it again and repeat your change.',
  );
}

/** Members that a client may send back as returned, without changing anything. */
type ReadOnlyMembers = Readonly<Partial<Record<(typeof readOnly)[number], unknown>>>;
const readOnly = ['id', 'apiKeys', 'analytics', 'isTrial', 'createdDate'] as const;

/** Volatile ones (`updatedDate`, `webhookState`, `storageWarning`, a key's last use and expiry) are not compared. */
function assertReadOnlyUnchanged(request: ReadOnlyMembers, answered: TenantResponse): void {
  const known: ReadOnlyMembers = { ...answered, apiKeys: asOfAnyMoment(answered.apiKeys) };
  for (const member of readOnly) {
    const sent = member === 'apiKeys' ? asOfAnyMoment(request.apiKeys) : request[member];
    if (sent === undefined || isDeepStrictEqual(sent, known[member])) continue;
    throw invalidRequest(
      `${member} is read-only here; leave it out, or send it as GET /v1/tenant returned it.`,
    );
  }
}

function asOfAnyMoment(keys: unknown): unknown {
  if (!Array.isArray(keys)) return keys;
  return keys.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? { ...entry, lastUsedDate: null, ended: null }
      : entry,
  );
}

/** The row for a tenant's own store, with its configuration, which is null if it cannot be decrypted. */
interface StoredConfig {
  readonly row: ConfigRow;
  readonly config: StorageConfig | null;
}

/** Returns null for the service's own store. */
async function readStoredConfig(
  { db, configs }: Pick<TenancyContext, 'db' | 'configs'>,
  { id: tenantId, storageConfigId }: Tenant,
): Promise<StoredConfig | null> {
  if (storageConfigId === null) return null;
  const row = await configs.find(db, { tenantId, id: storageConfigId });
  if (row === null) throw new TypeError('the configuration is not one of the tenant');
  return { row, config: await nullOn(['store_unavailable'], () => configs.open(row)) };
}

/** The contract's Tenant as returned to clients: unset members are omitted, secrets masked. */
async function readTenant(context: TenancyContext, tenant: Tenant): Promise<TenantResponse> {
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
    return 'The storage configuration cannot be decrypted with the current master key; put the earlier key back, or send the whole configuration again.';
  }
  const { corsWarning } = stored.row;
  return corsWarning === null ? null : `Browsers may be unable to reach the bucket: ${corsWarning}`;
}

/**
 * Why nothing can ever be delivered to this URL. Null for host names, which are resolved and checked on every delivery,
 * and for text that is not a URL.
 *
 * @param allowed - addresses that webhooks may be sent to: `external`, `private`, CIDRs.
 */
export function complaintAbout(webhookUrl: string, allowed: readonly string[]): string | null {
  const guard = createConnectionGuard(createAddressGuard(allowed));
  const host = URL.parse(webhookUrl)?.hostname ?? '';
  if (guard.refusalOf(host) === null) return null;
  return 'webhookUrl is an address that webhooks are not allowed to reach; ask the administrator to allow it with the webhookAllow setting.';
}

// Deletes a tenant: it loses all access at once, its analyses are hidden, and retention purges the rest in due course.

interface TenantDeletion {
  readonly tenant: Pick<Tenant, 'id' | 'name'>;
  readonly by: Actor;
  readonly now: () => Date;
}

/**
 * A crash cannot leave the tenant half deleted; analyses that were not hidden in time are hidden by the daily chore.
 *
 * @returns the tenant's row after deletion, and the number of analyses that were hidden.
 * @throws {ForensicsError} `conflict` while any of the tenant's data is on legal hold; `tenant_not_found`.
 */
export async function deleteTenant(
  { database: { db } }: { readonly database: { readonly db: Db } },
  { tenant: { id, name }, by, now }: TenantDeletion,
) {
  const tenant = await transact(db, async (tx) => {
    await assertNoHolds(tx, { id, name });
    return endTenant(tx, { id, at: now(), by });
  });
  const parts = { db, now };
  const lifecycle = { ...parts, queue: createQueue(parts), outbox: createOutbox(parts) };
  const { signal } = new AbortController();
  return { tenant, analyses: await hideAnalyses(lifecycle, { tenantId: id, by, signal }) };
}

// This is enough to see what is on hold; "hold list" shows everything.
const maxNamed = 5;

async function assertNoHolds(tx: Tx, { id, name }: TenantDeletion['tenant']): Promise<void> {
  const holds = await findHolds(tx, id);
  if (holds.length === 0) return;
  const named = holds.slice(0, maxNamed).map(({ analysisId, reason }) => {
    const what = analysisId ?? 'everything';
    return reason === '' ? what : `${what} (${reason})`;
  });
  const more = holds.length > maxNamed ? `, and ${holds.length - maxNamed} more` : '';
  throw conflict(
    `The tenant is on legal hold: ${named.join(', ')}${more}. Nothing was deleted; first lift each hold with "forensics hold remove --tenant ${name}".`,
  );
}

/**
 * Revokes its keys, removes its members and ends their sessions, switches its webhook off and frees its names. Pending
 * deliveries are dropped, because they no longer have a receiver.
 */
async function endTenant(
  tx: Tx,
  { id, at, by }: { id: string; at: Date; by: Actor },
): Promise<Tenant> {
  const { name } = await activeTenant(tx, id);
  const isLiving = and(eq(apiKeys.tenantId, id), isNull(apiKeys.revokedAt));
  const keys = await tx.update(apiKeys).set({ revokedAt: at }).where(isLiving).returning().all();
  const members = await tx.select().from(userTenants).where(eq(userTenants.tenantId, id)).all();
  for (const { userId } of members) {
    const before = await findTenantIds(tx, userId);
    await endAccess(tx, userId, at);
    const after = before.filter((one) => one !== id);
    await auditTenants(tx, { userId, at, by }, { before, after });
  }
  await tx.delete(userTenants).where(eq(userTenants.tenantId, id)).run();
  await tx.delete(tenantNames).where(eq(tenantNames.tenantId, id)).run();
  // The new name shows which tenant it was, and cannot clash, because the name of a tenant has no tilde.
  const end = { name: `${name}~${id}`, deletedAt: at, updatedAt: at };
  const columns = { ...end, ...freshWebhook, webhookUrl: null };
  const details = { keys: keys.length, members: members.length };
  await append(tx, { chain: id, at, actor: by, event: 'tenant.deleted', subject: id, details });
  return tx.update(tenants).set(columns).where(eq(tenants.id, id)).returning().get();
}
