/** `forensics user create`. */

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
    const tenantIds = await tenantIdsNamed(core, tenant);
    const facts = { scopes, tenantIds, ...(name && { name }), ...(userType && { userType }) };
    const password = await passwordFrom(options);
    const user = await core.users.create({ email, password, ...facts });
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(made, options);
}
