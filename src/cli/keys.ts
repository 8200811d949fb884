/** `forensics keys`: API keys of a tenant. */

import { type Command, Option } from 'commander';
import { parseDuration } from './duration.ts';
import type { CreateOptions } from './keys/create.ts';
import type { ListOptions } from './keys/list.ts';
import type { PruneOptions } from './keys/prune.ts';
import type { RevokeOptions } from './keys/revoke.ts';
import type { RotateOptions } from './keys/rotate.ts';
import { named } from './option-values.ts';
import { nameTenant, withServiceOptions } from './service-options.ts';
import { yesOption } from './yes-option.ts';

const defaultLife = '90d';
const defaultGrace = '24h';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list, rotate, revoke and prune API keys.')
    .addHelpText(
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
  common(keys.command('create').description('Create a key; its secret is printed this once.'))
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(life())
    .addOption(out())
    .action(async (_own: unknown, command: Command) => {
      const { create } = await import('./keys/create.ts');
      await create(command.optsWithGlobals<CreateOptions>());
    });
}

function registerList(keys: Command): void {
  common(keys.command('list').description('List the keys of a tenant, newest first.'))
    .option(
      '--expiring-within <time>',
      'only those to replace in this time; exit code 10 when there are some',
      parseDuration,
    )
    .action(async (_own: unknown, command: Command) => {
      const { list } = await import('./keys/list.ts');
      await list(command.optsWithGlobals<ListOptions>());
    });
}

function registerRotate(keys: Command): void {
  common(
    keys
      .command('rotate')
      .description('Create a key in place of an old one, which stays good for a while.'),
  )
    .option('--name <name>', 'the valid key of this name, the newest of those that were rotated')
    .addOption(new Option('--uuid <uuid>', 'the key, as "keys list" names it').conflicts('name'))
    .addOption(life())
    .addOption(
      new Option('--grace <time>', 'how long the old key stays good at most')
        .argParser(parseDuration)
        .default(parseDuration(defaultGrace), defaultGrace),
    )
    .addOption(
      new Option(
        '--now',
        'end the old key at once, as after a leak; by name, with all before it',
      ).conflicts('grace'),
    )
    .addOption(out())
    .addHelpText(
      'after',
      `
The new key is proven by a request before the old one ends; a key that cannot be used, or whose file cannot be written, is
revoked again. A key may rotate itself.

Examples:
  $ forensics keys rotate --tenant acme --name ci --expires-in 90d --grace 24h --json
  $ forensics keys rotate --tenant acme --name ci --now --out new.key --url https://forensics.example:8443`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { rotate } = await import('./keys/rotate.ts');
      await rotate(command.optsWithGlobals<RotateOptions>());
    });
}

function registerRevoke(keys: Command): void {
  common(keys.command('revoke').description('Revoke a key at once and for good.'))
    .argument('<uuid>', 'the key, as "keys list" names it')
    .addOption(yesOption('do not ask; where nobody can be asked it is done without'))
    .action(async (uuid: string, _own: unknown, command: Command) => {
      const { revoke } = await import('./keys/revoke.ts');
      await revoke(uuid, command.optsWithGlobals<RevokeOptions>());
    });
}

function registerPrune(keys: Command): void {
  common(
    keys
      .command('prune')
      .description('Revoke the keys that expired, or were replaced and are beyond their grace.'),
  )
    .addOption(yesOption('do not ask; needed where nobody can be asked'))
    .addHelpText(
      'after',
      `
They are listed first. No key that is still good is touched. Whoever uses a pruned key is told that it is unknown
(403), and no longer that it has expired (401).

Examples:
  $ forensics keys prune --tenant acme
  $ forensics keys prune --tenant acme --yes --json`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { prune } = await import('./keys/prune.ts');
      await prune(command.optsWithGlobals<PruneOptions>());
    });
}

function out(): Option {
  return new Option('--out <file>', 'write the secret into a new file that only you may read');
}

function life(): Option {
  return new Option('--expires-in <time>', 'how long it is valid: 30m, 12h, 90d')
    .argParser(parseDuration)
    .default(parseDuration(defaultLife), defaultLife);
}

function common(command: Command): Command {
  return withServiceOptions(
    command.option('--tenant <name>', 'the tenant of the key; may stand in a profile', named),
  );
}
