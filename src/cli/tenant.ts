/** `forensics tenant`: the tenants of this machine; some acts also on a server. */

import type { Command } from 'commander';
import { withLocalOnlyOptions } from './local-only.ts';
import { withServiceOptions } from './service-options.ts';
import { print, printJson, say } from './talk.ts';
import type { DeleteOptions } from './tenant/delete.ts';
import { printTenant, shown, type TenantOptions } from './tenant-lines.ts';
import { describeTenantReport } from './tenant-report.ts';
import {
  describeTenantShow,
  describeTenantTrial,
  describeTenantUpdate,
} from './tenant-settings.ts';
import { yesOption } from './yes-option.ts';

export function registerTenant(program: Command): void {
  const tenant = program
    .command('tenant')
    .description('Create, list, show, change and delete tenants.')
    .addHelpText(
      'after',
      `
"show", "update" and "report" also act on a server, for whoever may act for the tenant; the others act on its own machine.

Examples:
  $ forensics tenant create acme
  $ forensics tenant list --json`,
    );
  withLocalOnlyOptions(tenant.command('create').description('Create a tenant.'))
    .argument('<name>', 'lower-case letters, digits, hyphens')
    .option('--trial', 'may analyse only the two trial images', false)
    .action(async (name: string, _own: unknown, command: Command) => {
      await create(name, command.optsWithGlobals<TenantOptions & { trial: boolean }>());
    });
  withLocalOnlyOptions(tenant.command('list').description('List all tenants.'))
    .option('--deleted', 'instead those that were deleted and of which something is kept', false)
    .action(async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<ListOptions>());
    });
  describeTenantShow(withServiceOptions(tenant.command('show')));
  describeTenantUpdate(withServiceOptions(tenant.command('update')));
  describeTenantTrial(withLocalOnlyOptions(tenant.command('trial')));
  describeTenantReport(withServiceOptions(tenant.command('report')));
  registerDelete(tenant);
  withLocalOnlyOptions(
    tenant.command('webhook-secret').description('Print the secret that signs webhooks.'),
  )
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, command: Command) => {
      await webhookSecretOf(name, command.optsWithGlobals<TenantOptions>());
    });
}

async function create(name: string, options: TenantOptions & { trial: boolean }): Promise<void> {
  const { withNewCore } = await import('./local-core.ts');
  const made = await withNewCore(options, (core) =>
    core.tenants.create({ name, isTrial: options.trial }),
  );
  if (!options.json) say(`Next: forensics keys create --tenant ${name} --name <purpose>`);
  await printTenant(shown(made), options);
}

function registerDelete(tenant: Command): void {
  withLocalOnlyOptions(
    tenant.command('delete').description('Delete a tenant with all that it has, for good.'),
  )
    .argument('<name>', 'the tenant')
    .addOption(yesOption('do not ask for its name; needed where nobody can be asked'))
    .addHelpText(
      'after',
      `
At once: its keys are revoked, the sessions of its people end, its analyses are hidden, its webhook is called no more, and its
name is free for another tenant. A server that runs meanwhile obeys with the next request. The accounts of its people stay.
Refused while something of it is held.

Later, by the daily clean-up of the server: its analyses and their objects go as deleted ones do, deletedRetentionDays after
(30 unless set otherwise), then its figures of usage and its row. The audit log stays for good. Until then "usage", "audit" and
"hold" know it as NAME~ID. A presigned URL that was handed out may work until it runs out, 7 days at most.

Examples:
  $ forensics tenant delete acme
  $ forensics tenant delete acme --yes --json`,
    )
    .action(async (name: string, _own: unknown, command: Command) => {
      const { remove } = await import('./tenant/delete.ts');
      await remove(name, command.optsWithGlobals<DeleteOptions>());
    });
}

interface ListOptions extends TenantOptions {
  readonly deleted: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const { withLocalCore } = await import('./local-core.ts');
  const tenants = await withLocalCore(options, ({ tenants: all }) =>
    options.deleted ? all.listDeleted() : all.list(),
  );
  if (options.json) return printJson(tenants.map(shown));
  if (tenants.length === 0) {
    return say(options.deleted ? 'Nothing is kept of any.' : 'There are no tenants.');
  }
  const { listTable } = await import('./list-table.ts');
  const rows = tenants.map((tenant) => {
    const { id, name, trial, webhookUrl, createdDate } = shown(tenant);
    return [id, name, trial ? 'trial' : '', createdDate.slice(0, 10), webhookUrl ?? ''];
  });
  print(listTable(['id', 'name', 'kind', 'created', 'webhook'], rows));
}

async function webhookSecretOf(name: string, options: TenantOptions): Promise<void> {
  const { tenantNamed } = await import('../app/tenant-named.ts');
  const { withLocalCore } = await import('./local-core.ts');
  const secret = await withLocalCore(options, async (core) =>
    core.webhookSecretOf((await tenantNamed(core, name)).id),
  );
  if (options.json) return printJson({ tenantName: name, webhookSecret: secret });
  print(secret);
}
