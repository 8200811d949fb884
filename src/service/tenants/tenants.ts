/** Tenants, the service's customers: their names, trial flags and webhook URLs. */

import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { and, asc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { type Actor, operator } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { Wire } from '../../contract/common.ts';
import type { changeBody } from '../../contract/tenant.ts';
import { type Clocked, newId, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import { tenantNames, tenants } from '../../ports/db/schema.ts';
import { ForensicsError, conflict, forbidden, invalidRequest } from '../../contract/errors.ts';
import type { Principal } from '../access/principal.ts';
import { endPauses } from '../webhooks/outbox.ts';

export type Tenant = Readonly<typeof tenants.$inferSelect>;

export interface NewTenant {
  readonly name: string;
  readonly isTrial?: boolean;
  /** Who creates the tenant; by default, the operator. */
  readonly by?: Actor;
}

/** Setting `webhookUrl`, even to the same one, re-enables a disabled webhook. */
export interface TenantChange
  extends Pick<Wire<typeof changeBody>, 'name' | 'webhookUrl' | 'defaultOptions' | 'seenBefore'> {
  /** Whether only the two trial pictures may be analysed. */
  readonly isTrial?: boolean;
}

export function createTenants({ db, now }: Clocked) {
  // Runs on every request, so the statement is prepared once.
  const named = db
    .select()
    .from(tenants)
    .where(and(eq(tenants.name, sql.placeholder('name')), isNull(tenants.deletedAt)))
    .prepare();
  const find = async (which: SQL): Promise<readonly Tenant[]> =>
    db.select().from(tenants).where(which).orderBy(asc(tenants.name)).all();
  const byName = async (name: string): Promise<Tenant | null> =>
    (await named.get({ name })) ?? null;

  return {
    /** @throws {ForensicsError} `invalid_request` for an unusable name, `conflict` if a live tenant has or had it. */
    async create({ name, isTrial = false, by = operator }: NewTenant) {
      return transact(db, async (tx) => {
        const createdAt = now();
        const id = newId(createdAt);
        await takeName(tx, id, name);
        const row = { id, name, keyTag: await newTag(tx), isTrial, createdAt };
        const tenant = await tx.insert(tenants).values(row).returning().get();
        const auditEvent = { event: 'tenant.created', subject: id, details: { isTrial } } as const;
        await append(tx, { chain: id, at: createdAt, actor: by, ...auditEvent });
        return tenant;
      });
    },
    byName,
    /** Also finds a deleted tenant while its row exists. */
    byId: async (id: string) =>
      (await db.select().from(tenants).where(eq(tenants.id, id)).get()) ?? null,
    /** All tenants, ordered by name. */
    list: async () => find(isNull(tenants.deletedAt)),
    /** Deleted tenants with data still stored, by their former name. */
    listDeleted: async () => find(isNotNull(tenants.deletedAt)),
    /** On the operator's behalf. @throws {ForensicsError} `tenant_not_found`, `conflict`, `invalid_request`. */
    update: async (id: string, change: TenantChange) =>
      transact(db, (tx) => updateTenant(tx, { id, change, at: now(), by: operator })),
    /** @throws {ForensicsError} `forbidden`, alike for someone else's tenant and for an unknown name. */
    async authorizeTenant(principal: Principal, tenantName: string) {
      const tenant = await byName(tenantName);
      if (tenant !== null && principal.tenantIds.includes(tenant.id)) return tenant;
      throw forbidden('You may not act for this tenant; check its name.');
    },
  };
}

interface TenantUpdate {
  readonly id: string;
  /** `storageConfigId`: null for the default store. Given only when the store or its credentials change. */
  readonly change: TenantChange & { readonly storageConfigId?: string | null };
  readonly at: Date;
  readonly by: Actor;
}

/** @throws {ForensicsError} `tenant_not_found`, `conflict`, `invalid_request`. */
export async function updateTenant(tx: Tx, { id, change, at, by }: TenantUpdate): Promise<Tenant> {
  const before = await activeTenant(tx, id);
  const { name, webhookUrl } = change;
  if (name !== undefined) await takeName(tx, id, name);
  if (webhookUrl != null) {
    const url = URL.parse(webhookUrl);
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
    const hasLogin = url?.username !== '' || url.password !== '';
    if (!isWeb || hasLogin || webhookUrl.length > 2048) {
      throw invalidRequest(
        'webhookUrl must be an http or https URL of at most 2048 characters, without a user name or password.',
      );
    }
  }
  const fields = changedFields(before, change);
  if (fields.length === 0) return before;
  const revived = webhookUrl === undefined ? {} : freshWebhook;
  const columns = { ...change, ...revived, updatedAt: at };
  const auditEvent = { event: 'tenant.changed', subject: id, details: { fields } } as const;
  await append(tx, { chain: id, at, actor: by, ...auditEvent });
  if (fields.includes('webhookUrl')) await endPauses(tx, id, at);
  return tx.update(tenants).set(columns).where(eq(tenants.id, id)).returning().get();
}

/** @throws {ForensicsError} `tenant_not_found`, also for a deleted tenant. */
export async function activeTenant(reader: Reader, id: string): Promise<Tenant> {
  const isIt = and(eq(tenants.id, id), isNull(tenants.deletedAt));
  const tenant = await reader.select().from(tenants).where(isIt).get();
  if (tenant !== undefined) return tenant;
  throw new ForensicsError('tenant_not_found', 'Tenant not found.');
}

/** Names of the changed members, as the contract spells them, for the audit log; never their values. */
function changedFields(before: Tenant, change: TenantUpdate['change']): string[] {
  const { name = before.name, isTrial = before.isTrial, webhookUrl = before.webhookUrl } = change;
  const { defaultOptions = before.defaultOptions, seenBefore = before.seenBefore } = change;
  // Null only if the default store was and stays in use; an id is the same with new credentials.
  const storageConfigId = change.storageConfigId ?? before.storageConfigId;
  const isRevived = change.webhookUrl !== undefined && before.webhookDisabledAt !== null;
  const changed = {
    name: name !== before.name,
    isTrial: isTrial !== before.isTrial,
    webhookUrl: webhookUrl !== before.webhookUrl || isRevived,
    storageConfig: change.storageConfigId !== undefined && storageConfigId !== null,
    seenBefore: seenBefore !== before.seenBefore,
    defaultOptions: !isDeepStrictEqual(defaultOptions, before.defaultOptions),
  };
  return Object.entries(changed).flatMap(([field, isChanged]) => (isChanged ? [field] : []));
}

export const freshWebhook = {
  webhookDisabledAt: null,
  webhookDisabledReason: null,
  webhookFailingSince: null,
} as const;

/** Reserves the name for this tenant until the tenant is deleted, even after it takes another name. */
async function takeName(tx: Tx, tenantId: string, name: string): Promise<void> {
  const isSlug = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/.test(name);
  // A tenant can be given by name or id, so a name must not look like an id.
  const isLikeAnId = /^[0-9a-f]{24}$/.test(name);
  if (!isSlug || isLikeAnId) {
    throw invalidRequest(
      'A tenant name must have 1 to 63 lower-case letters, digits, hyphens or underscores, begin and end with a letter or digit, and not be 24 hexadecimal digits like an id.',
    );
  }
  const holder = await tx.select().from(tenantNames).where(eq(tenantNames.name, name)).get();
  if (holder?.tenantId === tenantId) return;
  if (holder !== undefined) throw conflict('Another tenant has or had this name; choose another.');
  await tx.insert(tenantNames).values({ name, tenantId }).run();
}

const tagAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const tagLength = 8;

/** A random tag, which must reveal nothing about the tenant, because keys turn up in logs and tickets. */
async function newTag(reader: Reader): Promise<string> {
  for (;;) {
    const tag = Array.from({ length: tagLength }, () => tagAlphabet[randomInt(36)]).join('');
    const holder = await reader.select().from(tenants).where(eq(tenants.keyTag, tag)).get();
    if (holder === undefined) return tag;
  }
}
