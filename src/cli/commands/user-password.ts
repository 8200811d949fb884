/** `forensics user passwd`, and the options for the password of a new account. */

import { type Command, Option } from 'commander';
import { generatePassword } from '../../service/access/embedded/passwords.ts';
import { succeeded } from '../../contract/common.ts';
import { usageError } from '../errors.ts';
import { printFields } from '../output/layout.ts';
import { askHidden, canAsk, readFirstLine } from '../input.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { type ShownUser, shownUser, userNamed, withLocalCore } from '../connection/local.ts';
import { withApi } from '../connection/server.ts';
import { isRemote, type ServiceOptions } from '../options.ts';

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

/** `forensics user passwd`: changes the password of any account on this machine, or your own on a server. */
interface PasswdOptions extends ServiceOptions, PasswordOptions {
  readonly currentPasswordFile?: string;
}

export async function passwd(who: string | undefined, options: PasswdOptions): Promise<void> {
  await (isRemote(options) ? changeOwn(who, options) : setAny(who, options));
}

async function setAny(who: string | undefined, options: PasswdOptions): Promise<void> {
  if (who === undefined) throw usageError('Name an account by its address or id.');
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const password = await passwordFrom(options);
    await core.users.setPassword(user.id, password);
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(changed, options);
}

async function changeOwn(who: string | undefined, options: PasswdOptions): Promise<void> {
  if (who !== undefined) {
    throw usageError(
      "On a server you can only change your own password; leave out the account. Set other people's passwords on the server's own machine.",
    );
  }
  const newPassword = await withApi(options, async (api) => {
    const currentPassword = await readCurrentPassword(options);
    const password = await passwordFrom(options);
    const body = { currentPassword, newPassword: password };
    await api.request({ method: 'POST', path: '/v1/auth/change-password', body }, succeeded);
    return password;
  });
  const isGenerated = options.generate === true;
  if (options.json) {
    return printJson({ changed: true, ...(isGenerated && { password: newPassword }) });
  }
  log(`The password was changed and all other sessions have ended.`);
  if (!isGenerated) return;
  log('It will not be shown again:');
  print(newPassword);
}

async function readCurrentPassword({ currentPasswordFile: file }: PasswdOptions): Promise<string> {
  if (file !== undefined) return readFirstLine(file);
  if (canAsk()) return askHidden('Current password: ');
  throw usageError('Give the current password with --current-password-file.');
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
