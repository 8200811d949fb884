/** `forensics user show`. */

import { withLocalCore } from '../local-core.ts';
import { printFields } from '../print-fields.ts';
import type { UserOptions } from './options.ts';
import { shownUser, userNamed } from './user-named.ts';

export async function show(who: string, options: UserOptions): Promise<void> {
  const fields = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    return { ...(await shownUser(core, user)), ...(await core.userSettings.read(user.id)) };
  });
  printFields(fields, options);
}
