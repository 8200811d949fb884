/** `forensics keys`: API keys of a tenant, on this machine or on a server. For rotation see `keys-rotate.ts`. */

import type { Command } from '../command.ts';
import type { KeyEntry } from '../../contract/keys.ts';
import { exitCodes } from '../../errors.ts';
import { nameTenant, withKeys } from '../connection/server.ts';
import { agreed } from '../input.ts';
import {
  calling,
  examples,
  named,
  parseDuration,
  subcommand,
  withServiceOptions,
} from '../options.ts';
import { type Columns, toList } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';
import {
  defineRotate,
  type KeyOptions,
  lifeOption,
  orRevoke,
  outOption,
  printSecret,
  shownKey,
  withSecretFile,
} from './keys-rotate.ts';

export function defineKeys(keys: Command): void {
  keys.helpAfter(
    examples(
      'keys create --tenant acme --name ci --expires-in 90d',
      'keys rotate --tenant acme --name ci --grace 24h --json',
      'keys list --tenant acme --expiring-within 14d',
    ),
  );
  keys.hook('preAction', async (_keys, command) => nameTenant(command));
  withTenant(
    subcommand(keys, 'create', 'Create a key and print its secret once.', [
      'keys create --tenant acme --name ci --expires-in 90d',
      'keys create --tenant acme --name ci --out ci.key',
    ]),
  )
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(lifeOption())
    .addOption(outOption())
    .action(calling(create));
  withTenant(
    subcommand(keys, 'list', 'List the keys of a tenant, newest first.', [
      'keys list --tenant acme',
      'keys list --tenant acme --expiring-within 14d',
    ]),
  )
    .option(
      '--expiring-within <time>',
      'only keys that must be replaced within this time; exit code 10 if there are any',
      parseDuration,
    )
    .action(calling(list));
  defineRotate(withTenant(keys.command('rotate')));
  withTenant(
    subcommand(keys, 'revoke', 'Revoke a key immediately and permanently.', [
      'keys revoke --tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10',
      'keys revoke --tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10 --yes',
    ]),
  )
    .argument('<uuid>', 'the uuid of the key, from "keys list"')
    .option('--yes', 'do not ask for confirmation (scripts are never asked)', false)
    .action(calling(revoke));
}

function withTenant(command: Command): Command {
  return withServiceOptions(
    command.option(
      '--tenant <name>',
      'the tenant of the key (default: the one in the profile)',
      named,
    ),
  );
}

interface CreateOptions extends KeyOptions {
  readonly name: string;
  /** Milliseconds. */
  readonly expiresIn: number;
  readonly out?: string;
}

async function create(options: CreateOptions): Promise<void> {
  const { tenant, name, expiresIn, out } = options;
  const key = await withKeys(options, async (keys) =>
    withSecretFile(out, async (file) => {
      const made = await keys.create({ tenant, name, expiresAt: new Date(Date.now() + expiresIn) });
      await orRevoke(keys, { tenant, key: made }, async () => file?.write(made.secret));
      return made;
    }),
  );
  if (options.json) return printJson(shownKey(key, out));
  printSecret(`Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}`, key, out);
}

interface ListOptions extends KeyOptions {
  /** Milliseconds. */
  readonly expiringWithin?: number;
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, expiringWithin } = options;
  const all = await withKeys(options, async (keys) => keys.list(tenant));
  const isFiltered = expiringWithin !== undefined;
  const entries = isFiltered ? keysToReplace(all, Date.now() + expiringWithin) : all;
  if (isFiltered && entries.length > 0) process.exitCode = exitCodes.foundExpiring;
  if (options.json) return printJson(entries);
  if (entries.length > 0) return print(toList(entries, columns));
  log(isFiltered ? 'No key expires in that time.' : 'There are no keys.');
}

/** Keys valid now but not at `endMs`. A rotated key is left out, because another key of the same name is valid then. */
function keysToReplace(entries: readonly KeyEntry[], endMs: number): readonly KeyEntry[] {
  const later = entries.filter(({ expiresAt }) => Date.parse(expiresAt) > endMs);
  const lasting = new Set(later.map(({ name }) => name));
  return entries.filter((entry) => entry.ended === null && !lasting.has(entry.name));
}

const columns: Columns<KeyEntry> = {
  uuid: ({ uuid }) => uuid,
  name: ({ name }) => name,
  created: ({ createdDate }) => createdDate.slice(0, 10),
  expires: ({ ended, expiresAt }) => ended ?? expiresAt.slice(0, 10),
  'last used': ({ lastUsedDate }) => lastUsedDate?.slice(0, 10) ?? 'never',
  secret: ({ secret }) => secret,
};

async function revoke(
  uuid: string,
  options: KeyOptions & { readonly yes: boolean },
): Promise<void> {
  const { tenant } = options;
  const isDone = await withKeys(options, async (keys) => {
    if (!(await agreed(`Revoke the key ${uuid} permanently?`, options))) return false;
    await keys.revoke({ tenant, uuid });
    return true;
  });
  if (options.json) return printJson({ uuid, revoked: isDone });
  log(isDone ? `Key ${uuid} is revoked.` : 'Nothing was revoked.');
}
