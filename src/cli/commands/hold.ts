/** `forensics hold`: legal holds on this machine. Data on hold is never purged, even when a client deletes it. */

import type { LegalHold } from '../../contract/tenant.ts';
import { keptTenantNamed } from '../../service/core.ts';
import { withLocalCore } from '../connection/local.ts';
import type { Command, TenantOptions, TextOptions } from '../options.ts';
import { printFields, printList } from '../output/layout.ts';
import { log, printJson } from '../output/terminal.ts';

type HoldOptions = TenantOptions & TextOptions<'analysis'>;

export function defineHold(hold: Command): void {
  hold
    .helpAfter(`
Without --analysis, a hold covers all the tenant's data. A held analysis that was deleted stays hidden from clients;
"forensics report" can still write its bundle.`)
    .examples(
      'add --tenant acme --analysis 65f000000000000000000001 --reason "case 17"',
      'list --tenant acme',
    );
  hold
    .tenantCommand('add', 'Place a hold.')
    .examples(
      '--tenant acme --analysis 65f000000000000000000001 --reason "file 12/26"',
      '--tenant acme --reason "all of it: file 12/26"',
    )
    .option('--analysis <id>', 'one analysis, deleted or not')
    .option('--reason <text>', 'the reason, shown in the list of holds', '')
    .action(add);
  hold
    .tenantCommand('remove', 'End a hold.')
    .examples('--tenant acme --analysis 65f000000000000000000001', '--tenant acme')
    .option('--analysis <id>', 'one analysis, deleted or not')
    .action(remove);
  hold
    .tenantCommand('list', 'List the holds of a tenant, oldest first.')
    .examples('--tenant acme', '--tenant acme --json')
    .action(list);
}

async function add(options: HoldOptions & { readonly reason: string }): Promise<void> {
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
  const holds = await withLocalCore(options, async (core) =>
    core.holds.list((await keptTenantNamed(core, options.tenant)).id),
  );
  printList(
    holds.map(shown),
    {
      analysis: ({ analysisId }) => analysisId ?? 'everything',
      since: ({ since }) => since.slice(0, 10),
      reason: ({ reason }) => reason,
    },
    { ...options, none: 'There are no holds.' },
  );
}

function shown({ analysisId, reason, createdDate, createdByUserId }: LegalHold) {
  return { analysisId, since: createdDate, reason, createdByUserId };
}
