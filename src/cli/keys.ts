/** `forensics keys`: API keys of a tenant on this machine. */

import { type Command, Option } from 'commander';
import type { KeyEntry } from '../access/key-entry.ts';
import { parseDuration } from './duration.ts';
import type { LocalOptions } from './local-core.ts';

interface KeyOptions extends LocalOptions {
  readonly tenant: string;
  readonly json: boolean;
}

interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly expiresIn: number;
}

const defaultLife = '90d';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list and revoke API keys.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics keys create --tenant acme --name ci --expires-in 90d
  $ forensics keys list --tenant acme`,
    );
  common(keys.command('create').description('Create a key; its secret is printed this once.'))
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--expires-in <time>', 'how long it is valid: 30m, 12h, 90d')
        .argParser(parseDuration)
        .default(parseDuration(defaultLife), defaultLife),
    )
    .action(async (_own: unknown, command: Command) => {
      await create(command.optsWithGlobals<CreateOptions>());
    });
  common(keys.command('list').description('List the keys of a tenant, newest first.')).action(
    async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<KeyOptions>());
    },
  );
  common(keys.command('revoke').description('Revoke a key at once and for good.'))
    .argument('<uuid>', 'the key, as "keys list" names it')
    .action(async (uuid: string, _own: unknown, command: Command) => {
      await revoke(uuid, command.optsWithGlobals<KeyOptions>());
    });
}

function common(command: Command): Command {
  return command
    .requiredOption('--tenant <name>', 'the tenant that the key belongs to')
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
}

async function create(options: CreateOptions): Promise<void> {
  const { print, printJson, say, tenantNamed, withLocalCore } = await import('./local-core.ts');
  const key = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    const expiresAt = new Date(Date.now() + options.expiresIn);
    return core.keys.mint({ tenantId: tenant.id, name: options.name, expiresAt });
  });
  if (options.json) return printJson(key);
  say(`Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}. It is not shown again:`);
  print(key.secret);
}

async function list(options: KeyOptions): Promise<void> {
  const { print, printJson, say, tenantNamed, withLocalCore } = await import('./local-core.ts');
  const entries = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    return core.keys.list(tenant.id);
  });
  if (options.json) return printJson(entries);
  if (entries.length === 0) return say('There are no keys.');
  print(await tableOf(entries));
}

async function revoke(uuid: string, options: KeyOptions): Promise<void> {
  const { printJson, say, tenantNamed, withLocalCore } = await import('./local-core.ts');
  await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    await core.keys.revoke(tenant.id, uuid);
  });
  if (options.json) return printJson({ uuid, revoked: true });
  say(`Key ${uuid} is revoked.`);
}

async function tableOf(entries: readonly KeyEntry[]): Promise<string> {
  const { listTable } = await import('./list-table.ts');
  const rows = entries.map(({ uuid, name, createdDate, expiresAt, secret }) => {
    const state = new Date(expiresAt) > new Date() ? expiresAt.slice(0, 10) : 'expired';
    return [uuid, name, createdDate.slice(0, 10), state, secret];
  });
  return listTable(['uuid', 'name', 'created', 'expires', 'secret'], rows);
}
