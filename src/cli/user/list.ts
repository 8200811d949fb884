/** `forensics user list`. */

import { listTable } from '../list-table.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import type { UserOptions } from './options.ts';
import { shownUser } from './user-named.ts';

export async function list(options: UserOptions): Promise<void> {
  const users = await withLocalCore(options, async (core) =>
    Promise.all((await core.users.list()).map((user) => shownUser(core, user))),
  );
  if (options.json) return printJson(users);
  if (users.length === 0) return say('There are no accounts.');
  const rows = users.map(({ id, email, name, state, lastLoginDate, ...user }) => [
    id,
    email,
    name ?? '',
    user.tenants.join(', '),
    user.scopes.join(', '),
    state,
    lastLoginDate?.slice(0, 10) ?? 'never',
  ]);
  print(listTable(['id', 'address', 'name', 'tenants', 'scopes', 'state', 'last login'], rows));
}
