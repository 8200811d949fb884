/** `forensics user`: the people who have an account on this machine, and what whoever is logged in on a server may change. */

import { type Command, Option } from 'commander';
import { generatePassword } from '../../access/embedded/passwords.ts';
import type { User, Users } from '../../access/users.ts';
import type { Core } from '../../app/core.ts';
import { succeeded } from '../../contract/common.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import { withLocalOnlyOptions, yesOption } from '../options.ts';
import { printFields } from '../output/details.ts';
import { firstLineOf } from '../output/files.ts';
import { print, printJson, say } from '../output/print.ts';
import { agreed, askHidden, canAsk } from '../output/prompts.ts';
import { listTable } from '../output/table.ts';
import { type LocalOptions, withLocalCore } from '../target/data-folder.ts';
import { type ShownUser, shownUser, tenantIdsNamed, userNamed } from '../target/local-service.ts';
import { isRemote, type ServiceOptions, withApi, withServiceOptions } from '../target/options.ts';
import { withService } from '../target/service.ts';

export function defineUser(user: Command): void {
  user.addHelpText(
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
      await create(email, command.optsWithGlobals<CreateOptions>());
    });
}

function registerRead(user: Command): void {
  withLocalOnlyOptions(user.command('list').description('List all accounts, by address.')).action(
    async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<UserOptions>());
    },
  );
  onOne(user.command('show').description('Show one account.')).action(
    async (who: string, _own: unknown, command: Command) => {
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
      await update(who, command.optsWithGlobals<UpdateOptions>());
    });
  onAnybody(user.command('settings').description('Show or change what the person chose.'))
    .option('--lang <code>', 'a language such as de, with a region as in de-AT')
    .addOption(
      new Option('--tos-accepted <answer>', 'the terms of service').choices(['true', 'false']),
    )
    .action(async (who: string | undefined, _own: unknown, command: Command) => {
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
      await passwd(who, command.optsWithGlobals<PasswdOptions>());
    });
}

function registerShut(user: Command): void {
  onOne(user.command('disable').description('Let a person in no more; ends all sessions.'))
    .addOption(yesOption('do not ask; where nobody can be asked it is done without'))
    .action(async (who: string, _own: unknown, command: Command) => {
      await disable(who, command.optsWithGlobals<DisableOptions>());
    });
  onOne(user.command('enable').description('Let a disabled person in again.')).action(
    async (who: string, _own: unknown, command: Command) => {
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

export interface UserOptions extends LocalOptions {
  readonly json: boolean;
}

// `forensics user create`.

export interface CreateOptions extends UserOptions, PasswordOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly tenant: readonly string[];
  readonly scope: readonly string[];
}

export async function create(email: string, options: CreateOptions): Promise<void> {
  const { name, userType, tenant, scope: scopes } = options;
  const made = await withLocalCore(options, async (core) => {
    refuseIfUseless(core);
    const tenantIds = await tenantIdsNamed(core, tenant);
    const facts = { scopes, tenantIds, ...(name && { name }), ...(userType && { userType }) };
    const password = await passwordFrom(options);
    const user = await core.users.create({ email, password, ...facts });
    return { user: await shownUser(core, user), password };
  });
  printWithPassword(made, options);
}

/** Before a password is asked for. @throws {ForensicsError} `not_offered`. */
function refuseIfUseless({ identity }: Core): void {
  if (identity.kind === 'embedded') return;
  throw new ForensicsError(
    'not_offered',
    'People are known by the identity provider of the setting oidcIssuer; with an account made here nobody could log in.',
  );
}

// `forensics user list`.

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

// `forensics user show`.

export async function show(who: string, options: UserOptions): Promise<void> {
  const fields = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    return { ...(await shownUser(core, user)), ...(await core.userSettings.read(user.id)) };
  });
  printFields(fields, options);
}

// `forensics user disable` and `forensics user enable`.

export interface DisableOptions extends UserOptions {
  readonly yes: boolean;
}

export async function disable(who: string, options: DisableOptions): Promise<void> {
  if (!(await agreed(`Let ${who} in no more, and end all sessions?`, options))) {
    if (options.json) return printJson({ disabled: false });
    return say('Nobody was disabled.');
  }
  await changeAccess(who, options, (users, id) => users.disable(id));
}

export async function enable(who: string, options: UserOptions): Promise<void> {
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

// `forensics user update`.

export interface UpdateOptions extends UserOptions {
  readonly name?: string;
  readonly userType?: string;
  readonly addTenant: readonly string[];
  readonly removeTenant: readonly string[];
  readonly addScope: readonly string[];
  readonly removeScope: readonly string[];
}

export async function update(who: string, options: UpdateOptions): Promise<void> {
  refuseNothing(options);
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

function refuseNothing({ name, userType, ...lists }: UpdateOptions): void {
  const { addTenant, removeTenant, addScope, removeScope } = lists;
  const isListed = [addTenant, removeTenant, addScope, removeScope].some(
    (names) => names.length > 0,
  );
  if (isListed || name !== undefined || userType !== undefined) return;
  throw usageError(
    'Say what to change: --name, --user-type, --add-tenant, --remove-tenant, --add-scope or --remove-scope.',
  );
}

function without(all: readonly string[], removed: readonly string[]): string[] {
  return all.filter((one) => !removed.includes(one));
}

// `forensics user settings`: shows them, after the change when one was asked for.

export interface SettingsOptions extends ServiceOptions {
  readonly lang?: string;
  readonly tosAccepted?: 'true' | 'false';
}

export async function settings(who: string | undefined, options: SettingsOptions): Promise<void> {
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

// `forensics user passwd`: of any account on this machine, of whoever is logged in on a server.

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

// Where the password of an account comes from: a file, standard input, a person at the terminal, or chance.

export interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordStdin?: boolean;
  readonly generate?: boolean;
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`, `cancelled`. */
export async function passwordFrom(options: PasswordOptions): Promise<string> {
  if (options.generate === true) return generatePassword();
  if (options.passwordFile !== undefined) return firstLineOf(options.passwordFile);
  if (options.passwordStdin === true) return firstLineOf('-');
  if (canAsk()) return fromPerson();
  throw usageError(
    'Say where the password comes from: --password-file, --password-stdin or --generate.',
  );
}

/** @throws {ForensicsError} as above. */
export async function currentPasswordFrom({
  currentPasswordFile: file,
}: {
  readonly currentPasswordFile?: string;
}): Promise<string> {
  if (file !== undefined) return firstLineOf(file);
  if (canAsk()) return askHidden('Current password: ');
  throw usageError('Say where the current password comes from: --current-password-file.');
}

async function fromPerson(): Promise<string> {
  const password = await askHidden('New password: ');
  if ((await askHidden('The same again: ')) === password) return password;
  throw usageError('The two passwords are not the same; nothing was changed.');
}

// An account whose password was just set. Only one that was made up here is printed: the others are known to their owner.

export function printWithPassword(
  { user, password }: { readonly user: ShownUser; readonly password: string },
  options: UserOptions & PasswordOptions,
): void {
  if (options.generate !== true) return printFields(user, options);
  if (options.json) return printJson({ ...user, password });
  say(`Password of ${user.email} (${user.id}). It is not shown again:`);
  print(password);
}
