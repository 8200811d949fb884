/** An account whose password was just set. Only one that was made up here is printed: the others are known to their owner. */

import { printFields } from '../print-fields.ts';
import { print, printJson, say } from '../talk.ts';
import type { UserOptions } from './options.ts';
import type { PasswordOptions } from './password-source.ts';
import type { ShownUser } from './user-named.ts';

export function printWithPassword(
  { user, password }: { readonly user: ShownUser; readonly password: string },
  options: UserOptions & PasswordOptions,
): void {
  if (options.generate !== true) return printFields(user, options);
  if (options.json) return printJson({ ...user, password });
  say(`Password of ${user.email} (${user.id}). It is not shown again:`);
  print(password);
}
