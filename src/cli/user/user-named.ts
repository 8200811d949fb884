/** Accounts by what an administrator types, and as the command line shows them. */

import type { User } from '../../access/users.ts';
import type { Core } from '../../app/core.ts';
import { ForensicsError } from '../../errors.ts';
import { tenantNamed } from '../../app/tenant-named.ts';

export interface ShownUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
  readonly tenants: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly issuer: string | null;
  readonly createdDate: string;
  readonly lastLoginDate: string | null;
}

/** @param who - an address, or an id: accounts of an identity provider have only that. @throws {ForensicsError} `not_found`. */
export async function userNamed({ users }: Core, who: string): Promise<User> {
  const user = (await users.byEmail(who)) ?? (await users.byId(who));
  if (user !== null) return user;
  throw new ForensicsError(
    'not_found',
    `There is no account "${who}"; "forensics user list" shows those that exist.`,
  );
}

/** @throws {ForensicsError} `tenant_not_found`. */
export async function tenantIdsNamed(core: Core, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => tenantNamed(core, name)));
  return found.map(({ id }) => id);
}

export async function shownUser({ tenants }: Core, user: User): Promise<ShownUser> {
  const found = await Promise.all(user.tenantIds.map((id) => tenants.byId(id)));
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    userType: user.userType,
    scopes: user.scopes,
    tenants: found.flatMap((tenant) => tenant?.name ?? []).toSorted(),
    state: user.disabledAt === null ? 'enabled' : 'disabled',
    issuer: user.issuer,
    createdDate: user.createdAt.toISOString(),
    lastLoginDate: user.lastLoginAt?.toISOString() ?? null,
  };
}
