/** `forensics user passwd`. */

import { withLocalCore } from '../local-core.ts';
import type { UserOptions } from './options.ts';
import { passwordFrom } from './password-source.ts';
import type { PasswordOptions } from './password-source.ts';
import { printWithPassword } from './print-with-password.ts';
import { shownUser, userNamed } from './user-named.ts';

export async function passwd(who: string, options: UserOptions & PasswordOptions): Promise<void> {
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const password = await passwordFrom(options);
    await core.users.setPassword(user.id, password);
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(changed, options);
}
