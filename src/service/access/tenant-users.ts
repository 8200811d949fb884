/** User administration by members: nobody can grant a right they lack, or reach a tenant that is not theirs. */

import { type ForensicsError, conflict, forbidden, notOffered } from '../../contract/errors.ts';
import type { TenantPerson } from '../../contract/auth.ts';
import { type Identity, type Principal, settingsScope, toActor } from './principal.ts';
import type { Tenant } from '../tenants/tenants.ts';
import { noSuchUser } from './user-facts.ts';
import type { Acting, NewUser, User, Users } from './users.ts';

/** A user of the tenant who may change its settings. */
export interface Manager {
  readonly principal: Principal;
  readonly tenant: Tenant;
}

/** All methods throw {ForensicsError} `not_offered` when an identity provider keeps the accounts. */
export function createTenantUsers(parts: {
  readonly users: Users;
  readonly identity: Pick<Identity, 'kind'>;
}) {
  const { users, identity } = parts;
  const actingFor = (manager: Manager): Acting => {
    assertEmbedded(identity);
    return {
      by: toActor(manager.principal),
      tenantId: manager.tenant.id,
      check: (user, self) => {
        const { scopes, tenantIds, disabledAt } = self;
        // The account may have lost the right since the request was authenticated.
        if (disabledAt !== null || !scopes.includes(settingsScope)) {
          throw forbidden('You need the "settings" scope to change users.');
        }
        const principal = { ...manager.principal, scopes, tenantIds };
        const found = complaint({ ...manager, principal }, user);
        if (found !== null) throw found;
      },
    };
  };
  return {
    /** Ordered by email address. */
    async list(manager: Manager) {
      assertEmbedded(identity);
      const members = await users.list(manager.tenant.id);
      return members.map((user) => shown(manager, user));
    },
    /** Creates a member of this tenant. @throws {ForensicsError} `invalid_request`, `conflict`, `forbidden`. */
    async create(manager: Manager, user: Omit<NewUser, 'tenantIds' | 'userType'>) {
      const acting = actingFor(manager);
      assertOwnScopes(manager, user.scopes);
      const member = { ...user, tenantIds: [manager.tenant.id] };
      return shown(manager, await users.create(member, acting));
    },
    /** @throws {ForensicsError} `not_found`, `invalid_request`, `conflict`, `forbidden`; so do the methods below. */
    async update(manager: Manager, id: string, change: Pick<Partial<NewUser>, 'name' | 'scopes'>) {
      const acting = actingFor(manager);
      assertOwnScopes(manager, change.scopes);
      return shown(manager, await users.update(id, change, acting));
    },
    setPassword: async (manager: Manager, id: string, password: string) =>
      users.setPassword(id, password, actingFor(manager)),
    disable: async (manager: Manager, id: string) =>
      shown(manager, await users.disable(id, actingFor(manager))),
    enable: async (manager: Manager, id: string) =>
      shown(manager, await users.enable(id, actingFor(manager))),
  };
}

function shown(manager: Manager, user: User): TenantPerson {
  const { id, email, name, userType, scopes, disabledAt, createdAt, lastLoginAt } = user;
  return {
    id,
    email,
    name,
    userType,
    scopes,
    isDisabled: disabledAt !== null,
    isManageable: complaint(manager, user) === null,
    createdDate: createdAt.toISOString(),
    lastLoginDate: lastLoginAt?.toISOString() ?? null,
  };
}

/** A new password, for example, gives access to all that the account may do, so the manager must have those rights. */
function complaint({ principal, tenant }: Manager, user: User): ForensicsError | null {
  // Accounts outside the tenant do not exist as far as its members can see.
  if (!user.tenantIds.includes(tenant.id)) return noSuchUser();
  if (user.id === principal.id) {
    return conflict(
      'This is your own account; another user with the "settings" scope can change it.',
    );
  }
  const isWithin =
    user.issuer === null &&
    user.tenantIds.every((id) => principal.tenantIds.includes(id)) &&
    user.scopes.every((scope) => principal.scopes.includes(scope));
  if (isWithin) return null;
  return forbidden(
    'This account has permissions or tenants that you lack; ask the administrator of the service to change it.',
  );
}

function assertOwnScopes({ principal }: Manager, scopes: readonly string[] = []): void {
  const missing = scopes.find((scope) => !principal.scopes.includes(scope));
  if (missing === undefined) return;
  throw forbidden(`You lack the "${missing}" scope, so you cannot give it to others.`);
}

function assertEmbedded({ kind }: Pick<Identity, 'kind'>): void {
  if (kind === 'embedded') return;
  throw notOffered('Accounts are managed by the identity provider; create and change them there.');
}
