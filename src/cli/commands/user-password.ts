/** `forensics user passwd`, and the options for the password of a new account. */

import { type Command, Option } from 'commander';
import { generatePassword } from '../../service/access/embedded/passwords.ts';
import { usageError } from '../errors.ts';
import { printFields } from '../output/layout.ts';
import { askHidden, canAsk, readFirstLine } from '../input.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { type ShownUser, shownUser, userNamed, withLocalCore } from '../connection/local.ts';
import type { LocalOptions } from '../options.ts';

/** A password is never an option, because options appear in the shell history and the process list. */
export function withPassword(command: Command): Command {
  const sources = [
    new Option('--password-file <file>', 'read the password from a file'),
    new Option('--password-stdin', 'read the password from standard input'),
    new Option('--generate', 'generate a password and print it once'),
  ];
  const names = sources.map((source) => source.attributeName());
  for (const source of sources) {
    command.addOption(source.conflicts(names.filter((name) => name !== source.attributeName())));
  }
  return command;
}

export async function passwd(who: string, options: LocalOptions & PasswordOptions): Promise<void> {
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const password = await passwordFrom(options);
    await core.users.setPassword(user.id, password);
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(changed, options);
}

/** Where a password comes from: a file, standard input, a prompt or the random generator. */
export interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordStdin?: boolean;
  readonly generate?: boolean;
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`, `cancelled`. */
export async function passwordFrom(options: PasswordOptions): Promise<string> {
  if (options.generate === true) return generatePassword();
  if (options.passwordFile !== undefined) return readFirstLine(options.passwordFile);
  if (options.passwordStdin === true) return readFirstLine('-');
  if (!canAsk()) {
    throw usageError('Give a password with --password-file, --password-stdin or --generate.');
  }
  const password = await askHidden('New password: ');
  if ((await askHidden('Repeat the password: ')) === password) return password;
  throw usageError('The two passwords differ; nothing was changed.');
}

/** Prints the account, and its password only if it was generated. */
export function printWithPassword(
  { user, password }: { readonly user: ShownUser; readonly password: string },
  options: PasswordOptions & { readonly json: boolean },
): void {
  if (options.generate !== true) return printFields(user, options);
  if (options.json) return printJson({ ...user, password });
  log(`Password of ${user.email} (${user.id}). It will not be shown again:`);
  print(password);
}
