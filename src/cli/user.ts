/** `forensics user`: the people who have an account on this machine, and what whoever is logged in on a server may change. */

import { type Command, Option } from 'commander';
import type { CreateOptions } from './user/create.ts';
import { withLocalOnlyOptions } from './local-only.ts';
import { withServiceOptions } from './service-options.ts';
import type { UserOptions } from './user/options.ts';
import type { PasswdOptions } from './user/passwd.ts';
import type { SettingsOptions } from './user/settings.ts';
import type { DisableOptions } from './user/shut.ts';
import type { UpdateOptions } from './user/update.ts';
import { yesOption } from './yes-option.ts';

export function registerUser(program: Command): void {
  const user = program
    .command('user')
    .description('Create, list, show, change and disable accounts.')
    .addHelpText(
      'after',
      `
"settings" and "passwd" without an account act on a server, for whoever is logged in there; the others act on its own machine.

Examples:
  $ forensics user create examiner@example.org --tenant acme --scope settings
  $ forensics user passwd examiner@example.org --generate
  $ forensics user list --json`,
    );
  registerCreate(user);
  registerRead(user);
  registerUpdate(user);
  registerPassword(user);
  registerShut(user);
}

function registerCreate(user: Command): void {
  withPassword(withLocalOnlyOptions(user.command('create').description('Create an account.')))
    .argument('<email>', 'the address that the person logs in with')
    .option('--name <name>', 'the name that stands beside what the person changes')
    .option('--user-type <type>', 'a word that tokens carry; "user" when left out')
    .option('--tenant <name>', 'may act for this tenant; repeat it for more', collect, [])
    .option('--scope <scope>', 'what else is allowed, such as "settings"; repeatable', collect, [])
    .action(async (email: string, _own: unknown, command: Command) => {
      const { create } = await import('./user/create.ts');
      await create(email, command.optsWithGlobals<CreateOptions>());
    });
}

function registerRead(user: Command): void {
  withLocalOnlyOptions(user.command('list').description('List all accounts, by address.')).action(
    async (_own: unknown, command: Command) => {
      const { list } = await import('./user/list.ts');
      await list(command.optsWithGlobals<UserOptions>());
    },
  );
  onOne(user.command('show').description('Show one account.')).action(
    async (who: string, _own: unknown, command: Command) => {
      const { show } = await import('./user/show.ts');
      await show(who, command.optsWithGlobals<UserOptions>());
    },
  );
}

function registerUpdate(user: Command): void {
  onOne(user.command('update').description('Change name, user type, tenants or scopes.'))
    .option('--name <name>', 'the new name; empty removes it')
    .option('--user-type <type>', 'the new user type')
    .option('--add-tenant <name>', 'may act for this tenant too; repeatable', collect, [])
    .option('--remove-tenant <name>', 'may not any more; repeatable', collect, [])
    .option('--add-scope <scope>', 'what else is allowed; repeatable', collect, [])
    .option('--remove-scope <scope>', 'what is not allowed any more; repeatable', collect, [])
    .action(async (who: string, _own: unknown, command: Command) => {
      const { update } = await import('./user/update.ts');
      await update(who, command.optsWithGlobals<UpdateOptions>());
    });
  onAnybody(user.command('settings').description('Show or change what the person chose.'))
    .option('--lang <code>', 'a language such as de, with a region as in de-AT')
    .addOption(
      new Option('--tos-accepted <answer>', 'the terms of service').choices(['true', 'false']),
    )
    .action(async (who: string | undefined, _own: unknown, command: Command) => {
      const { settings } = await import('./user/settings.ts');
      await settings(who, command.optsWithGlobals<SettingsOptions>());
    });
}

function registerPassword(user: Command): void {
  const password = user
    .command('passwd')
    .description('Set a new password; ends all sessions and lifts a lock.');
  withPassword(onAnybody(password))
    .option('--current-password-file <file>', 'on a server: read the present one from a file')
    .action(async (who: string | undefined, _own: unknown, command: Command) => {
      const { passwd } = await import('./user/passwd.ts');
      await passwd(who, command.optsWithGlobals<PasswdOptions>());
    });
}

function registerShut(user: Command): void {
  onOne(user.command('disable').description('Let a person in no more; ends all sessions.'))
    .addOption(yesOption('do not ask; where nobody can be asked it is done without'))
    .action(async (who: string, _own: unknown, command: Command) => {
      const { disable } = await import('./user/shut.ts');
      await disable(who, command.optsWithGlobals<DisableOptions>());
    });
  onOne(user.command('enable').description('Let a disabled person in again.')).action(
    async (who: string, _own: unknown, command: Command) => {
      const { enable } = await import('./user/shut.ts');
      await enable(who, command.optsWithGlobals<UserOptions>());
    },
  );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function onOne(command: Command): Command {
  return withLocalOnlyOptions(command).argument('<who>', 'address or id of the account');
}

/** On a server that is whoever is logged in. */
function onAnybody(command: Command): Command {
  return withServiceOptions(command).argument(
    '[who]',
    'address or id of the account; left out on a server',
  );
}

/** A password is never a flag: flags stand in the history of the shell and in the list of processes. */
function withPassword(command: Command): Command {
  const sources = [
    new Option('--password-file <file>', 'read the password from a file'),
    new Option('--password-stdin', 'read it from standard input'),
    new Option('--generate', 'make one up and print it this once'),
  ];
  const names = sources.map((source) => source.attributeName());
  for (const source of sources) {
    command.addOption(source.conflicts(names.filter((name) => name !== source.attributeName())));
  }
  return command;
}
