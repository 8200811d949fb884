/** `forensics user`: the people who have an account on this machine, and what a user who is logged in to a server may change. */

import { type Command, Option } from 'commander';
import type { User, Users } from '../../service/access/users.ts';
import type { Core } from '../../service/core.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import {
  examples,
  type LocalOptions,
  type ServiceOptions,
  withLocalOnlyOptions,
  withServiceOptions,
  yesOption,
} from '../options.ts';
import { listTable, printFields } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { agreed } from '../input.ts';
import { shownUser, tenantIdsNamed, userNamed, withLocalCore } from '../connection/local.ts';
import { withService } from '../connection/service.ts';
import {
  withPassword,
  type PasswdOptions,
  passwd,
  type PasswordOptions,
  passwordFrom,
  printWithPassword,
} from './user-password.ts';

export function defineUser(user: Command): void {
  user.addHelpText(
    'after',
    `
"settings" and "passwd" also work on a server, for your own account. All other commands work on the machine of the server.

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
  withPassword(
    withLocalOnlyOptions(
      user
        .command('create')
        .description('Create an account.')
        .addHelpText(
          'after',
          examples(
            'user create examiner@example.org --tenant acme --generate',
            'user create examiner@example.org --tenant acme --password-file first.txt',
          ),
        ),
    ),
  )
    .argument('<email>', 'the address that the person logs in with')
    .option('--name <name>', 'the name that the audit log shows for this person')
    .option('--user-type <type>', 'the user type in tokens (default: user)')
    .option('--tenant <name>', 'may act for this tenant; repeatable', collect, [])
    .option('--scope <scope>', 'a further permission, such as "settings"; repeatable', collect, [])
    .action(async (email: string, _own: unknown, command: Command) => {
      await create(email, command.optsWithGlobals<CreateOptions>());
    });
}

function registerRead(user: Command): void {
  withLocalOnlyOptions(
    user
      .command('list')
      .description('List all accounts, by address.')
      .addHelpText('after', examples('user list', 'user list --json')),
  ).action(async (_own: unknown, command: Command) => {
    await list(command.optsWithGlobals<UserOptions>());
  });
  onOne(
    user
      .command('show')
      .description('Show one account.')
      .addHelpText(
        'after',
        examples('user show examiner@example.org', 'user show examiner@example.org --json'),
      ),
  ).action(async (who: string, _own: unknown, command: Command) => {
    await show(who, command.optsWithGlobals<UserOptions>());
  });
}

function registerUpdate(user: Command): void {
  onOne(
    user
      .command('update')
      .description('Change name, user type, tenants or scopes.')
      .addHelpText(
        'after',
        examples(
          'user update examiner@example.org --add-tenant acme',
          'user update examiner@example.org --name "A. Examiner"',
        ),
      ),
  )
    .option('--name <name>', 'the new name; empty removes it')
    .option('--user-type <type>', 'the new user type')
    .option('--add-tenant <name>', 'grant access to a tenant; repeatable', collect, [])
    .option('--remove-tenant <name>', 'revoke access to a tenant; repeatable', collect, [])
    .option('--add-scope <scope>', 'grant a permission; repeatable', collect, [])
    .option('--remove-scope <scope>', 'revoke a permission; repeatable', collect, [])
    .action(async (who: string, _own: unknown, command: Command) => {
      await update(who, command.optsWithGlobals<UpdateOptions>());
    });
  onAnybody(
    user
      .command('settings')
      .description('Show or change the settings of an account.')
      .addHelpText(
        'after',
        examples(
          'user settings examiner@example.org --lang de',
          'user settings --profile acme --json',
        ),
      ),
  )
    .option('--lang <code>', 'the language, such as de or de-AT')
    .addOption(
      new Option('--tos-accepted <answer>', 'whether the terms of service are accepted').choices([
        'true',
        'false',
      ]),
    )
    .action(async (who: string | undefined, _own: unknown, command: Command) => {
      await settings(who, command.optsWithGlobals<SettingsOptions>());
    });
}

function registerPassword(user: Command): void {
  const password = user
    .command('passwd')
    .description('Set a new password, end all sessions and unlock the account.')
    .addHelpText(
      'after',
      examples('user passwd examiner@example.org --generate', 'user passwd --profile acme'),
    );
  withPassword(onAnybody(password))
    .option('--current-password-file <file>', 'on a server: read the current password from a file')
    .action(async (who: string | undefined, _own: unknown, command: Command) => {
      await passwd(who, command.optsWithGlobals<PasswdOptions>());
    });
}

function registerShut(user: Command): void {
  onOne(
    user
      .command('disable')
      .description('Disable an account and end all its sessions.')
      .addHelpText(
        'after',
        examples('user disable examiner@example.org', 'user disable examiner@example.org --yes'),
      ),
  )
    .addOption(yesOption('do not ask for confirmation (scripts are never asked)'))
    .action(async (who: string, _own: unknown, command: Command) => {
      await disable(who, command.optsWithGlobals<DisableOptions>());
    });
  onOne(
    user
      .command('enable')
      .description('Enable a disabled account.')
      .addHelpText(
        'after',
        examples('user enable examiner@example.org', 'user enable examiner@example.org --json'),
      ),
  ).action(async (who: string, _own: unknown, command: Command) => {
    await enable(who, command.optsWithGlobals<UserOptions>());
  });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function onOne(command: Command): Command {
  return withLocalOnlyOptions(command).argument('<who>', 'address or id of the account');
}

/** On a server that is the user who is logged in. */
function onAnybody(command: Command): Command {
  return withServiceOptions(command).argument(
    '[who]',
    'address or id of the account; left out on a server',
  );
}

interface UserOptions extends LocalOptions {
  readonly json: boolean;
}

interface CreateOptions extends UserOptions, PasswordOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly tenant: readonly string[];
  readonly scope: readonly string[];
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const { name, userType, tenant, scope: scopes } = options;
  const made = await withLocalCore(options, async (core) => {
    assertEmbeddedIdentity(core);
    const tenantIds = await tenantIdsNamed(core, tenant);
    const facts = { scopes, tenantIds, ...(name && { name }), ...(userType && { userType }) };
    const password = await passwordFrom(options);
    const user = await core.users.create({ email, password, ...facts });
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(made, options);
}

/** Before the password prompt. @throws {ForensicsError} `not_offered`. */
function assertEmbeddedIdentity({ identity }: Core): void {
  if (identity.kind === 'embedded') return;
  throw new ForensicsError(
    'not_offered',
    'The identity provider of the setting oidcIssuer keeps the accounts, so nobody could log in with one created here. Create it there.',
  );
}

async function list(options: UserOptions): Promise<void> {
  const users = await withLocalCore(options, async (core) =>
    Promise.all((await core.users.list()).map((user) => shownUser(core, user))),
  );
  if (options.json) return printJson(users);
  if (users.length === 0) return log('There are no accounts.');
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

async function show(who: string, options: UserOptions): Promise<void> {
  const fields = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    return { ...(await shownUser(core, user)), ...(await core.userSettings.read(user.id)) };
  });
  printFields(fields, options);
}

interface DisableOptions extends UserOptions {
  readonly yes: boolean;
}

async function disable(who: string, options: DisableOptions): Promise<void> {
  if (!(await agreed(`Disable ${who} and end all sessions?`, options))) {
    if (options.json) return printJson({ disabled: false });
    return log('Nothing was changed.');
  }
  await changeAccess(who, options, (users, id) => users.disable(id));
}

async function enable(who: string, options: UserOptions): Promise<void> {
  await changeAccess(who, options, (users, id) => users.enable(id));
}

async function changeAccess(
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

interface UpdateOptions extends UserOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly addTenant: readonly string[];
  readonly removeTenant: readonly string[];
  readonly addScope: readonly string[];
  readonly removeScope: readonly string[];
}

async function update(who: string, options: UpdateOptions): Promise<void> {
  assertSomethingGiven(options);
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

function assertSomethingGiven({ name, userType, ...lists }: UpdateOptions): void {
  const { addTenant, removeTenant, addScope, removeScope } = lists;
  const isListed = [addTenant, removeTenant, addScope, removeScope].some(
    (names) => names.length > 0,
  );
  if (isListed || name !== undefined || userType !== undefined) return;
  throw usageError(
    'Name what to change: --name, --user-type, --add-tenant, --remove-tenant, --add-scope or --remove-scope.',
  );
}

function without(all: readonly string[], removed: readonly string[]): string[] {
  return all.filter((one) => !removed.includes(one));
}

/** `forensics user settings`: prints the settings, after applying the change if one was given. */
interface SettingsOptions extends ServiceOptions {
  readonly lang?: string;
  readonly tosAccepted?: 'true' | 'false';
}

async function settings(who: string | undefined, options: SettingsOptions): Promise<void> {
  const { lang, tosAccepted } = options;
  const change = {
    ...(lang === undefined ? {} : { lang }),
    ...(tosAccepted === undefined ? {} : { tosAccepted: tosAccepted === 'true' }),
  };
  const chosen = await withService(options, async (service) =>
    service.settings.change(who ?? null, change),
  );
  printFields(chosen, options);
}
