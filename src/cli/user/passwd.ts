/** `forensics user passwd`: of any account on this machine, of whoever is logged in on a server. */

import { usageError } from '../failure.ts';
import { withLocalCore } from '../local-core.ts';
import { isRemote, type ServiceOptions, withApi } from '../service-options.ts';
import { print, printJson, say } from '../talk.ts';
import { currentPasswordFrom, passwordFrom } from './password-source.ts';
import type { PasswordOptions } from './password-source.ts';
import { printWithPassword } from './print-with-password.ts';
import { shownUser, userNamed } from './user-named.ts';

export interface PasswdOptions extends ServiceOptions, PasswordOptions {
  readonly currentPasswordFile?: string;
}

export async function passwd(who: string | undefined, options: PasswdOptions): Promise<void> {
  await (isRemote(options) ? changeOwn(who, options) : setAny(who, options));
}

async function setAny(who: string | undefined, options: PasswdOptions): Promise<void> {
  if (who === undefined) throw usageError('Say whose: the address or the id of an account.');
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const password = await passwordFrom(options);
    await core.users.setPassword(user.id, password);
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(changed, options);
}

/** Who may set those of others on a server acts on its own machine. */
async function changeOwn(who: string | undefined, options: PasswdOptions): Promise<void> {
  if (who !== undefined) {
    throw usageError(
      'On a server everybody changes his own password; leave the account out. Those of others are set on its own machine.',
    );
  }
  const { succeeded } = await import('../../contract/common.ts');
  const newPassword = await withApi(options, async (api) => {
    const currentPassword = await currentPasswordFrom(options);
    const password = await passwordFrom(options);
    const body = { currentPassword, newPassword: password };
    await api.ask({ method: 'POST', path: '/v1/auth/change-password', body }, succeeded);
    return password;
  });
  const isMadeUp = options.generate === true;
  if (options.json) return printJson({ changed: true, ...(isMadeUp && { password: newPassword }) });
  say(`The password is changed; every other session has ended.`);
  if (!isMadeUp) return;
  say('It is not shown again:');
  print(newPassword);
}
