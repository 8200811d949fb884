/** `forensics user disable` and `forensics user enable`. */

import type { User, Users } from '../../access/users.ts';
import { agreed } from '../confirm.ts';
import { withLocalCore } from '../local-core.ts';
import { printFields } from '../print-fields.ts';
import { printJson, say } from '../talk.ts';
import type { UserOptions } from './options.ts';
import { shownUser, userNamed } from './user-named.ts';

export interface DisableOptions extends UserOptions {
  readonly yes: boolean;
}

export async function disable(who: string, options: DisableOptions): Promise<void> {
  if (!(await agreed(`Let ${who} in no more, and end all sessions?`, options))) {
    if (options.json) return printJson({ disabled: false });
    return say('Nobody was disabled.');
  }
  await change(who, options, (users, id) => users.disable(id));
}

export async function enable(who: string, options: UserOptions): Promise<void> {
  await change(who, options, (users, id) => users.enable(id));
}

async function change(
  who: string,
  options: UserOptions,
  act: (users: Users, id: string) => Promise<User>,
): Promise<void> {
  const user = await withLocalCore(options, async (core) => {
    const { id } = await userNamed(core, who);
    return shownUser(core, await act(core.users, id));
  });
  printFields(user, options);
}
