/** `forensics user update`. */

import { usageError } from '../failure.ts';
import { withLocalCore } from '../local-core.ts';
import { printFields } from '../print-fields.ts';
import type { UserOptions } from './options.ts';
import { shownUser, tenantIdsNamed, userNamed } from './user-named.ts';

export interface UpdateOptions extends UserOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly addTenant: readonly string[];
  readonly removeTenant: readonly string[];
  readonly addScope: readonly string[];
  readonly removeScope: readonly string[];
}

export async function update(who: string, options: UpdateOptions): Promise<void> {
  refuseNothing(options);
  const { name, userType, addScope, removeScope } = options;
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const add = await tenantIdsNamed(core, options.addTenant);
    const remove = await tenantIdsNamed(core, options.removeTenant);
    const change = {
      ...(name === undefined ? {} : { name: name === '' ? null : name }),
      ...(userType === undefined ? {} : { userType }),
      tenantIds: without([...user.tenantIds, ...add], remove),
      scopes: without([...user.scopes, ...addScope], removeScope),
    };
    return shownUser(core, await core.users.update(user.id, change));
  });
  printFields(changed, options);
}

function refuseNothing({ name, userType, ...lists }: UpdateOptions): void {
  const { addTenant, removeTenant, addScope, removeScope } = lists;
  const isListed = [addTenant, removeTenant, addScope, removeScope].some((list) => list.length > 0);
  if (isListed || name !== undefined || userType !== undefined) return;
  throw usageError(
    'Say what to change: --name, --user-type, --add-tenant, --remove-tenant, --add-scope or --remove-scope.',
  );
}

function without(all: readonly string[], removed: readonly string[]): string[] {
  return all.filter((one) => !removed.includes(one));
}
