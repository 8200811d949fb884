/** `forensics user`: accounts on this machine. */

import { tenantNamed, type Core } from '../../service/core.ts';
import { Option } from 'commander';
import type { User } from '../../service/access/users.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { conflict, notFound, notOffered, usageError } from '../../contract/errors.ts';
import { withLocalCore } from '../connection/local.ts';
import { type Command, type LocalOptions, named, type TextOptions } from '../options.ts';
import { printFields, printList } from '../output/layout.ts';
import {
  agreed,
  askHidden,
  canAsk,
  log,
  print,
  printJson,
  readFirstLine,
} from '../output/terminal.ts';
import { generatePassword } from '../../service/access/embedded/passwords.ts';

const examiner = 'examiner@example.org';

export function defineUser(user: Command): void {
  user
    .helpAfter(`
These commands only work on the server's own machine.`)
    .examples(
      'create examiner@example.org --tenant acme --scope settings',
      'passwd examiner@example.org --generate',
      'list --json',
    );
  withPassword(
    user
      .localCommand('create', 'Create an account.')
      .examples(
        'examiner@example.org --tenant acme --generate',
        'examiner@example.org --tenant acme --password-file first.txt',
      ),
  )
    .argument('<email>', 'the email address to log in with')
    .option('--name <name>', 'the name to show in the audit log', named)
    .option('--user-type <type>', 'the user type in tokens (default: user)')
    .option('--tenant <name>', 'a tenant of the account; repeatable', collect, [])
    .option(
      '--scope <scope>',
      'an additional permission, such as "settings"; repeatable',
      collect,
      [],
    )
    .action(create);
  user
    .localCommand('list', 'List all accounts, by email address.')
    .examples('', '--json')
    .action(list);
  onOne(user, 'show', 'Show one account.').examples(examiner, `${examiner} --json`).action(show);
  onOne(user, 'update', 'Change the name, user type, tenants or scopes of an account.')
    .examples(`${examiner} --add-tenant acme`, `${examiner} --name "A. Examiner"`)
    .option('--name <name>', 'the new name; empty removes it')
    .option('--user-type <type>', 'the new user type')
    .option('--add-tenant <name>', 'grant access to a tenant; repeatable', collect, [])
    .option('--remove-tenant <name>', 'revoke access to a tenant; repeatable', collect, [])
    .option('--add-scope <scope>', 'grant a permission; repeatable', collect, [])
    .option('--remove-scope <scope>', 'revoke a permission; repeatable', collect, [])
    .action(update);
  withPassword(
    onOne(user, 'passwd', 'Set a new password, end all sessions and unlock the account.').examples(
      `${examiner} --generate`,
      `${examiner} --password-file next.txt`,
    ),
  ).action(passwd);
  onOne(user, 'disable', 'Disable an account and end all its sessions.')
    .examples(examiner, `${examiner} --yes`)
    .option('--yes', 'do not ask for confirmation (scripts are never asked)', false)
    .action(disable);
  onOne(user, 'enable', 'Enable a disabled account.')
    .examples(examiner, `${examiner} --json`)
    .action((who: string, options: LocalOptions) => changeAccess(who, options, 'enable'));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function onOne(user: Command, name: string, description: string): Command {
  const who = 'email address or id of the account';
  return user.localCommand(name, description).argument('<who>', who);
}

interface CreateOptions extends LocalOptions, PasswordOptions, TextOptions<'name' | 'userType'> {
  readonly tenant: readonly string[];
  readonly scope: readonly string[];
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const { name, userType, tenant, scope: scopes } = options;
  const made = await withLocalCore(options, async (core) => {
    // Checked before the user is asked for a password.
    if (core.identity.kind !== 'embedded') {
      throw notOffered(
        'Accounts are managed by the identity provider in the oidcIssuer setting, so nobody could log in with an account created here. Create it there.',
      );
    }
    const tenantIds = await tenantIdsNamed(core, tenant);
    const password = await passwordFrom(options);
    const facts = { scopes, tenantIds, ...(name && { name }), ...(userType && { userType }) };
    const user = await core.users.create({ email, password, ...facts });
    return { ...(await shownUser(core, user)), password };
  });
  printWithPassword(made, options);
}

async function list(options: LocalOptions): Promise<void> {
  const users = await withLocalCore(options, async (core) =>
    Promise.all((await core.users.list()).map((user) => shownUser(core, user))),
  );
  printList(
    users,
    {
      id: ({ id }) => id,
      address: ({ email }) => email,
      name: ({ name }) => name ?? '',
      tenants: ({ tenants }) => tenants.join(', '),
      scopes: ({ scopes }) => scopes.join(', '),
      state: ({ state }: ShownUser) => state,
      'last login': ({ lastLoginDate }) => lastLoginDate?.slice(0, 10) ?? 'never',
    },
    { ...options, none: 'There are no accounts.' },
  );
}

async function show(who: string, options: LocalOptions): Promise<void> {
  const fields = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    return { ...(await shownUser(core, user)), ...(await core.userSettings.read(user.id)) };
  });
  printFields(fields, options);
}

async function disable(who: string, options: LocalOptions & { readonly yes: boolean }) {
  if (!(await agreed(`Disable ${who} and end all sessions?`, options))) {
    if (options.json) return printJson({ disabled: false });
    return log('Nothing was changed.');
  }
  await changeAccess(who, options, 'disable');
}

async function changeAccess(who: string, options: LocalOptions, act: 'disable' | 'enable') {
  const user = await withLocalCore(options, async (core) => {
    const { id } = await userNamed(core, who);
    return shownUser(core, await core.users[act](id));
  });
  printFields(user, options);
}

type UpdateOptions = LocalOptions &
  TextOptions<'name' | 'userType'> &
  Readonly<Record<'addTenant' | 'removeTenant' | 'addScope' | 'removeScope', readonly string[]>>;

async function update(who: string, options: UpdateOptions): Promise<void> {
  const { name, userType, addTenant, removeTenant, addScope, removeScope } = options;
  const lists = [...addTenant, ...removeTenant, ...addScope, ...removeScope];
  if (name === undefined && userType === undefined && lists.length === 0) {
    throw usageError(
      'Specify what to change: --name, --user-type, --add-tenant, --remove-tenant, --add-scope or --remove-scope.',
    );
  }
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const add = await tenantIdsNamed(core, addTenant);
    const remove = await tenantIdsNamed(core, removeTenant);
    const change = {
      ...withoutUndefined({ name: name === '' ? null : name, userType }),
      tenantIds: [...user.tenantIds, ...add].filter((id) => !remove.includes(id)),
      scopes: [...user.scopes, ...addScope].filter((scope) => !removeScope.includes(scope)),
    };
    return shownUser(core, await core.users.update(user.id, change));
  });
  printFields(changed, options);
}

/** A password is never an option, because options appear in the shell history and the process list. */
function withPassword(command: Command): Command {
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

async function passwd(who: string, options: LocalOptions & PasswordOptions): Promise<void> {
  const changed = await withLocalCore(options, async (core) => {
    const user = await userNamed(core, who);
    const password = await passwordFrom(options);
    await core.users.setPassword(user.id, password);
    return { ...(await shownUser(core, user)), password };
  });
  printWithPassword(changed, options);
}

/** Where a password comes from; without any of these, from a prompt. */
interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordStdin?: boolean;
  readonly generate?: boolean;
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`, `cancelled`. */
async function passwordFrom(options: PasswordOptions): Promise<string> {
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

function printWithPassword(
  { password, ...user }: ShownUser & { readonly password: string },
  options: PasswordOptions & LocalOptions,
): void {
  if (options.generate !== true) return printFields(user, options);
  if (options.json) return printJson({ ...user, password });
  log(`Password of ${user.email} (${user.id}). It will not be shown again:`);
  print(password);
}

/**
 * @param who - email address or id; with an identity provider only the id, because people can change their address
 *   there, and a local account with the same address belongs to someone else. @throws {ForensicsError} `not_found`.
 */
async function userNamed({ users, identity }: Core, who: string): Promise<User> {
  const hasProvider = identity.kind === 'oidc';
  const addressed = hasProvider ? [] : await users.byEmail(who);
  if (addressed.length > 1) {
    const ids = addressed.map(({ id }) => id).join(', ');
    const message = `${addressed.length} tenants have an account with this address; specify one by its id: ${ids}.`;
    throw conflict(message);
  }
  const user = addressed[0] ?? (await users.byId(who));
  if (user !== null) return user;
  throw notFound(
    hasProvider
      ? `There is no account with the id "${who}"; with an identity provider, specify accounts by the ids in "forensics user list".`
      : `There is no account "${who}"; "forensics user list" shows all accounts.`,
  );
}

async function tenantIdsNamed(core: Core, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => tenantNamed(core, name)));
  return found.map(({ id }) => id);
}

async function shownUser({ tenants }: Core, user: User) {
  const found = await Promise.all(user.tenantIds.map((id) => tenants.byId(id)));
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    userType: user.userType,
    scopes: user.scopes,
    tenants: found.flatMap((tenant) => tenant?.name ?? []).toSorted(),
    state: user.disabledAt === null ? 'enabled' : 'disabled',
    issuer: user.issuer,
    createdDate: user.createdAt.toISOString(),
    lastLoginDate: user.lastLoginAt?.toISOString() ?? null,
  };
}

type ShownUser = Awaited<ReturnType<typeof shownUser>>;
