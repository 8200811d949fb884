/**
 * Users: who they are, what they may do, and their passwords. An account is either embedded
 * (address and password are stored here) or belongs to an identity provider, which then decides
 * everything except the settings and whether it is disabled here.
 */

import { isDeepStrictEqual } from 'node:util';
import { and, asc, eq, inArray, isNull, type SQL } from 'drizzle-orm';
import { type Actor, operator } from '../audit/entry.ts';
import {
  hasRow,
  newId,
  type Reader,
  transact,
  type Tx,
  type Clocked,
} from '../../ports/db/database.ts';
import { sessions, tenants, users, userTenants } from '../../ports/db/schema.ts';
import { ForensicsError, conflict, notOffered } from '../../contract/errors.ts';
import type { Passwords } from './embedded/passwords.ts';
import { endSessions } from './embedded/sessions.ts';
import type { LoginAttempts } from './embedded/throttle.ts';
import type { Principal } from './principal.ts';
import {
  checkedEmail,
  checkedFacts,
  normalisedEmail,
  auditUser,
  auditTenants,
  noSuchUser,
  type UserAct,
  type UserFacts,
} from './user-facts.ts';

const shownColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  userType: users.userType,
  scopes: users.scopes,
  issuer: users.issuer,
  disabledAt: users.disabledAt,
  createdAt: users.createdAt,
  lastLoginAt: users.lastLoginAt,
};

/** `issuer`: the identity provider of this user; null for an embedded account. */
export interface User extends Readonly<Pick<UserRow, keyof typeof shownColumns>> {
  /** Empty for an account of an identity provider, whose tenants come with each token. */
  readonly tenantIds: readonly string[];
}

/** Null removes the name. */
export interface UserChange extends Partial<UserFacts> {
  readonly tenantIds?: readonly string[];
}

export interface NewUser extends UserChange {
  readonly email: string;
  readonly password: string;
}

/** Who administers an account. If omitted, it is the operator, who may do everything. */
export interface Acting {
  readonly by: Actor;
  /** If set, this user may know only about accounts of this tenant. */
  readonly tenantId?: string;
  /** Called in the same transaction with the account before the change and with the acting user; throws to refuse. */
  readonly check?: (user: User, self: User) => void;
}

export type Users = ReturnType<typeof createUsers>;

export type UserRow = typeof users.$inferSelect;

export const defaultUserType = 'user';
const defaultLang = 'en';
const byOperator: Acting = { by: operator };

interface UsersParts extends Clocked {
  readonly passwords: Passwords;
  readonly attempts: Pick<LoginAttempts, 'forgiveAccount'>;
}

export function createUsers(parts: UsersParts) {
  const { db, now } = parts;
  return {
    /** @throws {ForensicsError} `invalid_request`, `tenant_not_found`; `conflict` if the address is in use. */
    create: (user: NewUser, acting: Acting = byOperator) => createUser(parts, user, acting),
    /** On its owner's behalf. @throws {ForensicsError} as `create`; also `conflict` if any account exists. */
    createFirst: (user: NewUser) =>
      createUser(parts, user, null, async (tx) => {
        if (!(await hasRow(tx, users))) return;
        throw conflict('Somebody has just created the first account; log in instead.');
      }),
    byId: async (id: string) => (await find(db, eq(users.id, id)))[0] ?? null,
    /** Embedded accounts only, oldest first. Each tenant may have its own account for an address. */
    byEmail: (email: string) => find(db, isEmbedded(normalisedEmail(email))),
    /** All users, or those who may act for a tenant, ordered by address. */
    async list(tenantId?: string) {
      if (tenantId === undefined) return find(db);
      const isOfTenant = eq(userTenants.tenantId, tenantId);
      const members = db.select({ id: userTenants.userId }).from(userTenants).where(isOfTenant);
      return find(db, inArray(users.id, members));
    },
    /** @throws {ForensicsError} `not_found`, `invalid_request`, `tenant_not_found`, `not_offered` for a provider's account. */
    update: (id: string, change: UserChange, acting: Acting = byOperator) =>
      updateUser(parts, id, change, acting),
    /** Also ends all sessions and a lock. @throws {ForensicsError} `not_found`, `invalid_request`, `not_offered`. */
    setPassword: (id: string, password: string, acting: Acting = byOperator) =>
      setPassword(parts, id, password, acting),
    /** Ends all sessions and prevents new ones. @throws {ForensicsError} `not_found`. */
    disable: (id: string, acting: Acting = byOperator) => setDisabled(parts, id, now(), acting),
    /** @throws {ForensicsError} `not_found`. */
    enable: (id: string, acting: Acting = byOperator) => setDisabled(parts, id, null, acting),
    /** A user as `info` returns it, with the principal's rights. @throws {ForensicsError} `not_found`. */
    async info({ id, tenantIds, scopes, ...principal }: Principal) {
      const row = await existing(db, id ?? '');
      const { email, name, lang, tosAccepted } = row;
      const userType = principal.userType ?? row.userType;
      const settings = { lang, tosAccepted };
      const names = await tenantNames(db, tenantIds);
      return { id: row.id, email, name, userType, scopes, tenants: names, settings };
    },
  };
}

function actOn({ now }: UsersParts, userId: string, { by }: Acting): UserAct {
  return { userId, at: now(), by };
}

/** @param acting - null if people create their own account. @param refuse - may throw inside the transaction. */
async function createUser(
  parts: UsersParts,
  { email: typed, password, tenantIds = [], ...facts }: NewUser,
  acting: Acting | null,
  refuse?: (tx: Tx) => Promise<void>,
): Promise<User> {
  const { db, passwords, now } = parts;
  const email = checkedEmail(typed);
  const columns = checkedFacts({ name: null, userType: defaultUserType, scopes: [], ...facts });
  passwords.assertUsable(password, { email, name: columns.name });
  // Checked before the expensive hash and again after it: two requests can race.
  await assertAddressFree(db, email, acting);
  const [other] = await embeddedRows(db, email);
  const passwordHash = await passwords.hash(password, other?.passwordHash);
  return transact(db, async (tx) => {
    await refuse?.(tx);
    await assertAddressFree(tx, email, acting);
    const row = { ...newRow(now()), ...columns, email, passwordHash };
    await tx.insert(users).values(row).run();
    await setTenants(tx, row.id, tenantIds);
    const user = await getUser(tx, row.id);
    const { userType, scopes } = user;
    const details = { identity: 'embedded', userType, scopes } as const;
    const act = actOn(parts, row.id, acting ?? { by: { type: 'user', id: row.id } });
    await auditUser(tx, act, { event: 'user.created', details });
    await auditTenants(tx, act, { before: [], after: user.tenantIds });
    return user;
  });
}

async function updateUser(
  parts: UsersParts,
  id: string,
  { tenantIds, ...change }: UserChange,
  acting: Acting,
): Promise<User> {
  return transact(parts.db, async (tx) => {
    const before = await getUser(tx, id);
    await approve(tx, acting, before);
    const { name, userType, scopes, issuer } = before;
    assertEmbedded(issuer);
    if (tenantIds !== undefined) await setTenants(tx, id, tenantIds);
    const after = await saved(tx, id, checkedFacts({ name, userType, scopes, ...change }));
    await auditChange(tx, actOn(parts, id, acting), { before, after });
    return after;
  });
}

async function setPassword(parts: UsersParts, id: string, password: string, acting: Acting) {
  const { db, passwords, attempts, now } = parts;
  const row = await existing(db, id);
  // Checked before the expensive hash and again after it: rights may change in between.
  await approve(db, acting, await getUser(db, id));
  assertEmbedded(row.issuer);
  passwords.assertUsable(password, row);
  const passwordHash = await passwords.hash(password, row.passwordHash);
  await transact(db, async (tx) => {
    const user = await getUser(tx, id);
    await approve(tx, acting, user);
    await endAccess(tx, id, now());
    await attempts.forgiveAccount(tx, id);
    await saved(tx, id, { passwordHash });
    const auditEvent = { event: 'user.password_changed', details: {} } as const;
    await auditUser(tx, actOn(parts, id, acting), auditEvent, user.tenantIds);
  });
}

async function setDisabled(parts: UsersParts, id: string, disabledAt: Date | null, acting: Acting) {
  return transact(parts.db, async (tx) => {
    const user = await getUser(tx, id);
    await approve(tx, acting, user);
    if (disabledAt !== null) await endAccess(tx, id, disabledAt);
    const event = disabledAt === null ? 'user.enabled' : 'user.disabled';
    await auditUser(tx, actOn(parts, id, acting), { event, details: {} }, user.tenantIds);
    return saved(tx, id, { disabledAt });
  });
}

/** Logs which fields changed, and the current rights; a name stays out of the log. */
async function auditChange(
  tx: Tx,
  act: UserAct,
  { before, after }: { readonly before: User; readonly after: User },
): Promise<void> {
  const fields = (['name', 'userType', 'scopes'] as const).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  const { userType, scopes } = after;
  if (fields.length > 0) {
    const auditEvent = { event: 'user.changed', details: { fields, userType, scopes } } as const;
    await auditUser(tx, act, auditEvent, before.tenantIds);
  }
  await auditTenants(tx, act, { before: before.tenantIds, after: after.tenantIds });
}

/** Invalidates everything issued to the person before this moment, whether or not it belongs to a session. */
export async function endAccess(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ tokensValidFrom: at }).where(eq(users.id, userId)).run();
  await endSessions(tx, at, eq(sessions.userId, userId));
}

/** Oldest first. */
export async function embeddedRows(reader: Reader, email: string): Promise<readonly UserRow[]> {
  return reader.select().from(users).where(isEmbedded(email)).orderBy(asc(users.id)).all();
}

function isEmbedded(email: string) {
  return and(eq(users.email, email), isNull(users.issuer));
}

export async function findTenantIds(reader: Reader, userId: string): Promise<string[]> {
  const rows = await reader.select().from(userTenants).where(eq(userTenants.userId, userId)).all();
  return rows.map(({ tenantId }) => tenantId);
}

/** Initial values of a new account, embedded or not. */
export function newRow(createdAt: Date) {
  const settings = { lang: defaultLang, tosAccepted: false };
  return { id: newId(createdAt), ...settings, tokensValidFrom: createdAt, createdAt };
}

async function existing(reader: Reader, id: string): Promise<UserRow> {
  const row = await reader.select().from(users).where(eq(users.id, id)).get();
  if (row === undefined) throw noSuchUser();
  return row;
}

async function saved(tx: Tx, id: string, columns: Partial<UserRow>): Promise<User> {
  await tx.update(users).set(columns).where(eq(users.id, id)).run();
  return getUser(tx, id);
}

async function getUser(reader: Reader, id: string): Promise<User> {
  const [user] = await find(reader, eq(users.id, id));
  if (user !== undefined) return user;
  throw noSuchUser();
}

/** Reads the acting user in the same transaction, so that two users who disable each other at once cannot both succeed. */
async function approve(reader: Reader, { by, check }: Acting, user: User): Promise<void> {
  check?.(user, await getUser(reader, by.id ?? ''));
}

/** Users who match `which`, ordered by address, with their tenants, in a single query. */
async function find(reader: Reader, which?: SQL): Promise<readonly User[]> {
  const rows = await reader
    .select({ user: shownColumns, tenantId: userTenants.tenantId })
    .from(users)
    .leftJoin(userTenants, eq(userTenants.userId, users.id))
    .where(which)
    .orderBy(asc(users.email), asc(users.id), asc(userTenants.tenantId))
    .all();
  const found = new Map<string, User>();
  for (const { user, tenantId } of rows) {
    const before = found.get(user.id)?.tenantIds ?? [];
    const tenantIds = tenantId === null ? before : [...before, tenantId];
    found.set(user.id, { ...user, tenantIds });
  }
  return [...found.values()];
}

async function setTenants(tx: Tx, userId: string, tenantIds: readonly string[]): Promise<void> {
  await tx.delete(userTenants).where(eq(userTenants.userId, userId)).run();
  for (const tenantId of new Set(tenantIds)) {
    if ((await tenantNames(tx, [tenantId])).length === 0) {
      throw new ForensicsError('tenant_not_found', 'Tenant not found.');
    }
    await tx.insert(userTenants).values({ userId, tenantId }).run();
  }
}

async function tenantNames(reader: Reader, ids: readonly string[]): Promise<string[]> {
  const which = and(inArray(tenants.id, [...ids]), isNull(tenants.deletedAt));
  const rows = await reader.select().from(tenants).where(which).orderBy(asc(tenants.name)).all();
  return rows.map(({ name }) => name);
}

/** An account in another tenant is no reason to refuse a member, because a refusal would reveal that it exists. */
async function assertAddressFree(reader: Reader, email: string, acting: Acting | null) {
  const within = acting?.tenantId;
  const standing = await find(reader, isEmbedded(email));
  if (standing.every(({ tenantIds }) => within && !tenantIds.includes(within))) return;
  throw conflict('There is already an account with this address.');
}

function assertEmbedded(issuer: string | null): void {
  if (issuer === null) return;
  throw notOffered('This account is managed by its identity provider.');
}
