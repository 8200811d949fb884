/** `forensics keys`: API keys of a tenant. */

import { type Command, Option } from 'commander';
import type { KeyEntry } from '../../contract/keys.ts';
import { exitCodes } from '../../errors.ts';
import {
  examples,
  named,
  parseDuration,
  type ServiceOptions,
  withServiceOptions,
  yesOption,
} from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { agreed, confirm } from '../input.ts';
import { listTable } from '../output/layout.ts';
import { nameTenant } from '../connection/server.ts';
import { withService } from '../connection/service.ts';
import { orRevoke, rotate, type RotateOptions, shownKey, withSecretFile } from './keys-rotate.ts';

const defaultLife = '90d';
const defaultGrace = '24h';

export function defineKeys(keys: Command): void {
  keys.addHelpText(
    'after',
    `
Examples:
  $ forensics keys create --tenant acme --name ci --expires-in 90d
  $ forensics keys rotate --tenant acme --name ci --grace 24h --json
  $ forensics keys list --tenant acme --expiring-within 14d`,
  );
  keys.hook('preAction', async (_keys, command) => nameTenant(command));
  registerCreate(keys);
  registerList(keys);
  registerRotate(keys);
  registerRevoke(keys);
  registerPrune(keys);
}

function registerCreate(keys: Command): void {
  common(
    keys
      .command('create')
      .description('Create a key and print its secret once.')
      .addHelpText(
        'after',
        examples(
          'keys create --tenant acme --name ci --expires-in 90d',
          'keys create --tenant acme --name ci --out ci.key',
        ),
      ),
  )
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(life())
    .addOption(outOption())
    .action(async (_own: unknown, command: Command) => {
      await create(command.optsWithGlobals<CreateOptions>());
    });
}

function registerList(keys: Command): void {
  common(
    keys
      .command('list')
      .description('List the keys of a tenant, newest first.')
      .addHelpText(
        'after',
        examples('keys list --tenant acme', 'keys list --tenant acme --expiring-within 14d'),
      ),
  )
    .option(
      '--expiring-within <time>',
      'only keys that must be replaced within this time; exit code 10 if there are any',
      parseDuration,
    )
    .action(async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<ListOptions>());
    });
}

function registerRotate(keys: Command): void {
  common(
    keys
      .command('rotate')
      .description('Replace a key; the old one stays valid for a grace period.'),
  )
    .option('--name <name>', 'the newest valid key of this name')
    .addOption(new Option('--uuid <uuid>', 'the key, as "keys list" names it').conflicts('name'))
    .addOption(life())
    .addOption(
      new Option('--grace <time>', 'how long the old key stays valid')
        .argParser(parseDuration)
        .default(parseDuration(defaultGrace), defaultGrace),
    )
    .addOption(
      new Option(
        '--now',
        'end the old key at once, for example after a leak; with --name also its predecessors',
      ).conflicts('grace'),
    )
    .addOption(outOption())
    .addHelpText(
      'after',
      `
The new key is tested with a request before the old one ends. If that fails, or the key cannot be written to the file,
the new key is revoked. A key may rotate itself.

Examples:
  $ forensics keys rotate --tenant acme --name ci --expires-in 90d --grace 24h --json
  $ forensics keys rotate --tenant acme --name ci --now --out new.key --url https://forensics.example:8443`,
    )
    .action(async (_own: unknown, command: Command) => {
      await rotate(command.optsWithGlobals<RotateOptions>());
    });
}

function registerRevoke(keys: Command): void {
  common(
    keys
      .command('revoke')
      .description('Revoke a key immediately and permanently.')
      .addHelpText(
        'after',
        examples(
          'keys revoke --tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10',
          'keys revoke --tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10 --yes',
        ),
      ),
  )
    .argument('<uuid>', 'the key, as "keys list" names it')
    .addOption(yesOption('do not ask for confirmation (scripts are never asked)'))
    .action(async (uuid: string, _own: unknown, command: Command) => {
      await revoke(uuid, command.optsWithGlobals<RevokeOptions>());
    });
}

function registerPrune(keys: Command): void {
  common(
    keys
      .command('prune')
      .description('Revoke keys that have expired or whose grace period is over.'),
  )
    .addOption(yesOption('do not ask for confirmation; required in scripts'))
    .addHelpText(
      'after',
      `
They are listed first; valid keys are not touched. A request with a pruned key is answered as one with an unknown key
(403), and no longer that it has expired (401).

Examples:
  $ forensics keys prune --tenant acme
  $ forensics keys prune --tenant acme --yes --json`,
    )
    .action(async (_own: unknown, command: Command) => {
      await prune(command.optsWithGlobals<PruneOptions>());
    });
}

function outOption(): Option {
  return new Option('--out <file>', 'write the secret to a new file that only you can read');
}

function life(): Option {
  return new Option('--expires-in <time>', 'how long it is valid: 30m, 12h, 90d')
    .argParser(parseDuration)
    .default(parseDuration(defaultLife), defaultLife);
}

function common(command: Command): Command {
  return withServiceOptions(
    command.option(
      '--tenant <name>',
      'the tenant of the key (default: that of the profile)',
      named,
    ),
  );
}

export interface KeyOptions extends ServiceOptions {
  readonly tenant: string;
}

interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly expiresIn: number;
  readonly out?: string;
}

async function create(options: CreateOptions): Promise<void> {
  const { tenant, name, expiresIn, out } = options;
  const key = await withService(options, async ({ keys }) =>
    withSecretFile(out, async (file) => {
      const made = await keys.create({ tenant, name, expiresAt: new Date(Date.now() + expiresIn) });
      await orRevoke(keys, { tenant, key: made, otherwise: '' }, async () =>
        file?.write(made.secret),
      );
      return made;
    }),
  );
  if (options.json) return printJson(shownKey(key, out));
  const told = `Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}`;
  if (out !== undefined) return log(`${told}, is in ${out}.`);
  log(`${told}. It will not be shown again:`);
  print(key.secret);
}

/** `forensics keys list`: all keys of a tenant, or those that expire soon. */
interface ListOptions extends KeyOptions {
  /** Milliseconds. */
  readonly expiringWithin?: number;
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, expiringWithin } = options;
  const all = await withService(options, async ({ keys }) => keys.list(tenant));
  const isAsked = expiringWithin !== undefined;
  const entries = isAsked ? toReplace(all, Date.now(), expiringWithin) : all;
  if (isAsked && entries.length > 0) process.exitCode = exitCodes.foundExpiring;
  if (options.json) return printJson(entries);
  if (entries.length > 0) return print(tableOf(entries));
  log(isAsked ? 'No key expires in that time.' : 'There are no keys.');
}

/** Valid now but not after `withinMs`, and no key of the same name is: one that was rotated needs no attention. */
function toReplace(
  entries: readonly KeyEntry[],
  now: number,
  withinMs: number,
): readonly KeyEntry[] {
  const isLasting = (entry: KeyEntry) => endOf(entry) > now + withinMs;
  const lasting = new Set(entries.filter(isLasting).map(({ name }) => name));
  return entries.filter((entry) => entry.ended === null && !lasting.has(entry.name));
}

function endOf({ expiresAt }: KeyEntry): number {
  return Date.parse(expiresAt);
}

function tableOf(entries: readonly KeyEntry[]): string {
  const rows = entries.map(
    ({ uuid, name, createdDate, expiresAt, ended, lastUsedDate, secret }) => {
      const state = ended ?? expiresAt.slice(0, 10);
      const used = lastUsedDate?.slice(0, 10) ?? 'never';
      return [uuid, name, createdDate.slice(0, 10), state, used, secret];
    },
  );
  return listTable(['uuid', 'name', 'created', 'expires', 'last used', 'secret'], rows);
}

/** `forensics keys prune`: revokes the keys that have expired. */
interface PruneOptions extends KeyOptions {
  readonly yes: boolean;
}

async function prune(options: PruneOptions): Promise<void> {
  const { tenant } = options;
  const revoked = await withService(options, async ({ keys }) => {
    const ended = (await keys.list(tenant)).filter((key) => key.ended !== null);
    if (ended.length === 0) {
      log('No key has expired.');
      return [];
    }
    printEnded(ended, options);
    if (!(await isAgreed(ended, options))) return [];
    // Those that were shown: one that expires during the confirmation stays for the next run.
    return keys.prune({ tenant, uuids: ended.map(({ uuid }) => uuid) });
  });
  if (options.json) return printJson({ revoked });
  log(`Revoked: ${revoked.length}.`);
}

async function isAgreed(ended: readonly KeyEntry[], { yes }: PruneOptions): Promise<boolean> {
  const what = ended.length === 1 ? 'this key' : `these ${ended.length} keys`;
  return yes || confirm(`Revoke ${what} permanently?`);
}

/** Where standard output is for JSON, people read the list elsewhere. */
function printEnded(keys: readonly KeyEntry[], { json }: PruneOptions): void {
  const rows = keys.map(({ uuid, name, ended, expiresAt, lastUsedDate, secret }) => [
    uuid,
    name,
    ended ?? '',
    expiresAt.slice(0, 10),
    lastUsedDate?.slice(0, 10) ?? 'never',
    secret,
  ]);
  const table = listTable(['uuid', 'name', 'why', 'ended', 'last used', 'secret'], rows);
  if (json) process.stderr.write(`${table}\n`);
  else print(table);
}

interface RevokeOptions extends KeyOptions {
  readonly yes: boolean;
}

async function revoke(uuid: string, options: RevokeOptions): Promise<void> {
  const { tenant } = options;
  const isDone = await withService(options, async ({ keys }) => {
    if (!(await agreed(`Revoke the key ${uuid} permanently?`, options))) return false;
    await keys.revoke({ tenant, uuid });
    return true;
  });
  if (options.json) return printJson({ uuid, revoked: isDone });
  log(isDone ? `Key ${uuid} is revoked.` : 'Nothing was revoked.');
}
