/**
 * The people of a tenant, as those of them who may change its settings administer them. Nobody can grant a right
 * they lack, or use an account to reach a tenant they may not act for.
 */

import { ForensicsError } from '../../errors.ts';
import { type Identity, type Principal, settingsScope, toActor } from './principal.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { LoginAttempts } from './embedded/throttle.ts';
import type { Acting, NewUser, User, Users } from './users.ts';

/** A user of the tenant who may change its settings. */
export interface Manager {
  readonly principal: Principal;
  readonly tenant: Tenant;
}

export interface TenantUser extends User {
  /** Whether the one who asks may change the account. */
  readonly isManageable: boolean;
}

/** All: @throws {ForensicsError} `not_offered` where an identity provider keeps the accounts. */
export interface TenantUsers {
  /** By address. */
  list(manager: Manager): Promise<readonly TenantUser[]>;
  /** A member of this tenant. @throws {ForensicsError} `invalid_request`, `conflict`, `forbidden`, `rate_limited`. */
  create(manager: Manager, user: Omit<NewUser, 'tenantIds' | 'userType'>): Promise<TenantUser>;
  /** @throws {ForensicsError} `not_found`, `invalid_request`, `conflict`, `forbidden`; so do those below. */
  update(
    manager: Manager,
    id: string,
    change: Pick<Partial<NewUser>, 'name' | 'scopes'>,
  ): Promise<TenantUser>;
  setPassword(manager: Manager, id: string, password: string): Promise<void>;
  disable(manager: Manager, id: string): Promise<TenantUser>;
  enable(manager: Manager, id: string): Promise<TenantUser>;
}

export function createTenantUsers({
  users,
  identity,
  attempts,
}: {
  readonly users: Users;
  readonly identity: Pick<Identity, 'kind'>;
  readonly attempts: Pick<LoginAttempts, 'countPlace'>;
}): TenantUsers {
  const actingFor = (manager: Manager): Acting => {
    assertEmbedded(identity);
    return {
      by: toActor(manager.principal),
      check: (user, self) => {
        const { scopes, tenantIds, disabledAt } = self;
        // The account may have lost the right since the request was authenticated.
        if (disabledAt !== null || !scopes.includes(settingsScope)) {
          throw new ForensicsError('forbidden', 'You need the scope "settings" to change users.');
        }
        const principal = { ...manager.principal, scopes, tenantIds };
        const found = complaint({ ...manager, principal }, user);
        if (found !== null) throw found;
      },
    };
  };
  return {
    async list(manager) {
      assertEmbedded(identity);
      const members = await users.list(manager.tenant.id);
      return members.map((user) => shown(manager, user));
    },
    async create(manager, user) {
      const acting = actingFor(manager);
      assertOwnScopes(manager, user.scopes);
      const { id } = manager.tenant;
      // A conflict tells of an account that another tenant may have: nobody can ask for many addresses.
      const takeBack = attempts.countPlace(`accounts of ${id}`);
      const made = await users.create({ ...user, tenantIds: [id] }, acting);
      takeBack();
      return shown(manager, made);
    },
    async update(manager, id, change) {
      const acting = actingFor(manager);
      assertOwnScopes(manager, change.scopes);
      return shown(manager, await users.update(id, change, acting));
    },
    setPassword: async (manager, id, password) =>
      users.setPassword(id, password, actingFor(manager)),
    disable: async (manager, id) => shown(manager, await users.disable(id, actingFor(manager))),
    enable: async (manager, id) => shown(manager, await users.enable(id, actingFor(manager))),
  };
}

function shown(manager: Manager, user: User): TenantUser {
  return { ...user, isManageable: complaint(manager, user) === null };
}

/** A new password, for one, opens all that the account may do: so all of it must be the manager's own. */
function complaint({ principal, tenant }: Manager, user: User): ForensicsError | null {
  // Who is not of the tenant does not exist for those who are.
  if (!user.tenantIds.includes(tenant.id)) {
    return new ForensicsError('not_found', 'User not found.');
  }
  if (user.id === principal.id) {
    return new ForensicsError(
      'conflict',
      'This is your own account; another user with the scope "settings" can change it.',
    );
  }
  const isWithin =
    user.issuer === null &&
    user.tenantIds.every((id) => principal.tenantIds.includes(id)) &&
    user.scopes.every((scope) => principal.scopes.includes(scope));
  if (isWithin) return null;
  return new ForensicsError(
    'forbidden',
    'This account also has permissions or tenants that you lack; ask the administrator of the service to change it.',
  );
}

function assertOwnScopes({ principal }: Manager, scopes: readonly string[] = []): void {
  const missing = scopes.find((scope) => !principal.scopes.includes(scope));
  if (missing === undefined) return;
  throw new ForensicsError(
    'forbidden',
    `You lack the scope "${missing}", so you cannot give it to others.`,
  );
}

function assertEmbedded({ kind }: Pick<Identity, 'kind'>): void {
  if (kind === 'embedded') return;
  throw new ForensicsError(
    'not_offered',
    'The identity provider of this service keeps the accounts; create and change them there.',
  );
}
