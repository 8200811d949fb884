/** `forensics hold`: legal holds on this machine. What is held is never purged, also when a client deletes it. */

import type { Command } from 'commander';
import type { Hold } from '../../service/holds/legal-holds.ts';
import { keptTenantNamed } from '../../service/core.ts';
import { examples, type LocalOptions, withLocalOptions } from '../options.ts';
import { listTable, printFields } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { withLocalCore } from '../connection/local.ts';

interface HoldOptions extends LocalOptions {
  readonly tenant: string;
  readonly analysis?: string;
  readonly json: boolean;
}

interface AddOptions extends HoldOptions {
  readonly reason: string;
}

export function defineHold(hold: Command): void {
  hold.addHelpText(
    'after',
    `
Without --analysis a hold is on everything of the tenant. What was deleted and is held stays hidden from clients;
"forensics report" still hands it over.

Examples:
  $ forensics hold add --tenant acme --analysis 65f000000000000000000001 --reason "case 17"
  $ forensics hold list --tenant acme`,
  );
  one(
    hold
      .command('add')
      .description('Place a hold.')
      .addHelpText(
        'after',
        examples(
          'hold add --tenant acme --analysis 65f000000000000000000001 --reason "file 12/26"',
          'hold add --tenant acme --reason "all of it: file 12/26"',
        ),
      ),
  )
    .option('--reason <text>', 'the reason, shown in the list of holds', '')
    .action(async (_own: unknown, command: Command) => {
      await add(command.optsWithGlobals<AddOptions>());
    });
  one(
    hold
      .command('remove')
      .description('End a hold.')
      .addHelpText(
        'after',
        examples(
          'hold remove --tenant acme --analysis 65f000000000000000000001',
          'hold remove --tenant acme',
        ),
      ),
  ).action(async (_own: unknown, command: Command) => {
    await remove(command.optsWithGlobals<HoldOptions>());
  });
  common(
    hold
      .command('list')
      .description('List the holds of a tenant, oldest first.')
      .addHelpText('after', examples('hold list --tenant acme', 'hold list --tenant acme --json')),
  ).action(async (_own: unknown, command: Command) => {
    await list(command.optsWithGlobals<HoldOptions>());
  });
}

function common(command: Command): Command {
  return withLocalOptions(command.requiredOption('--tenant <name>', 'the tenant'));
}

function one(command: Command): Command {
  return common(command).option('--analysis <id>', 'one analysis, deleted or not');
}

async function add(options: AddOptions): Promise<void> {
  const { tenant, analysis: analysisId = null, reason } = options;
  const hold = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await keptTenantNamed(core, tenant);
    return core.holds.add({ tenantId, analysisId, reason });
  });
  printFields(shown(hold), options);
}

async function remove(options: HoldOptions): Promise<void> {
  const { tenant, analysis: analysisId = null } = options;
  await withLocalCore(options, async (core) => {
    const { id: tenantId } = await keptTenantNamed(core, tenant);
    await core.holds.remove({ tenantId, analysisId });
  });
  if (options.json) return printJson({ analysisId, removed: true });
  log('The hold is removed.');
}

async function list(options: HoldOptions): Promise<void> {
  const holds = await withLocalCore(options, async (core) => {
    const { id } = await keptTenantNamed(core, options.tenant);
    return (await core.holds.list(id)).map(shown);
  });
  if (options.json) return printJson(holds);
  if (holds.length === 0) return log('There are no holds.');
  const rows = holds.map(({ analysisId, since, reason }) => [
    analysisId ?? 'everything',
    since.slice(0, 10),
    reason,
  ]);
  print(listTable(['analysis', 'since', 'reason'], rows));
}

function shown({ analysisId, reason, createdAt, createdByUserId }: Hold) {
  return { analysisId, since: createdAt.toISOString(), reason, createdByUserId };
}
