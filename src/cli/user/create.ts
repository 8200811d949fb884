/** `forensics user create`. */

import type { Core } from '../../app/core.ts';
import { ForensicsError } from '../../errors.ts';
import { withLocalCore } from '../local-core.ts';
import type { UserOptions } from './options.ts';
import { passwordFrom } from './password-source.ts';
import type { PasswordOptions } from './password-source.ts';
import { printWithPassword } from './print-with-password.ts';
import { shownUser, tenantIdsNamed } from './user-named.ts';

export interface CreateOptions extends UserOptions, PasswordOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly tenant: readonly string[];
  readonly scope: readonly string[];
}

export async function create(email: string, options: CreateOptions): Promise<void> {
  const { name, userType, tenant, scope: scopes } = options;
  const made = await withLocalCore(options, async (core) => {
    refuseIfUseless(core);
    const tenantIds = await tenantIdsNamed(core, tenant);
    const facts = { scopes, tenantIds, ...(name && { name }), ...(userType && { userType }) };
    const password = await passwordFrom(options);
    const user = await core.users.create({ email, password, ...facts });
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(made, options);
}

/** Before a password is asked for. @throws {ForensicsError} `not_offered`. */
function refuseIfUseless({ identity }: Core): void {
  if (identity.kind === 'embedded') return;
  throw new ForensicsError(
    'not_offered',
    'People are known by the identity provider of the setting oidcIssuer; with an account made here nobody could log in.',
  );
}
