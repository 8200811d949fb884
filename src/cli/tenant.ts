/** `forensics tenant`: the tenants on this machine. */

import type { Command } from 'commander';
import { printTenant, shown, type TenantOptions } from './tenant-lines.ts';
import { describeTenantReport } from './tenant-report.ts';
import {
  describeTenantShow,
  describeTenantTrial,
  describeTenantUpdate,
} from './tenant-settings.ts';
import { withLocalOptions } from './with-local-options.ts';

export function registerTenant(program: Command): void {
  const tenant = program
    .command('tenant')
    .description('Create, list, show and change tenants.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics tenant create acme
  $ forensics tenant list --json`,
    );
  withLocalOptions(tenant.command('create').description('Create a tenant.'))
    .argument('<name>', 'lower-case letters, digits, hyphens')
    .option('--trial', 'may analyse only the two trial images', false)
    .action(async (name: string, _own: unknown, command: Command) => {
      await create(name, command.optsWithGlobals<TenantOptions & { trial: boolean }>());
    });
  withLocalOptions(tenant.command('list').description('List all tenants.')).action(
    async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<TenantOptions>());
    },
  );
  describeTenantShow(withLocalOptions(tenant.command('show')));
  describeTenantUpdate(withLocalOptions(tenant.command('update')));
  describeTenantTrial(withLocalOptions(tenant.command('trial')));
  describeTenantReport(withLocalOptions(tenant.command('report')));
  withLocalOptions(
    tenant.command('webhook-secret').description('Print the secret that signs webhooks.'),
  )
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, command: Command) => {
      await webhookSecretOf(name, command.optsWithGlobals<TenantOptions>());
    });
}

async function create(name: string, options: TenantOptions & { trial: boolean }): Promise<void> {
  const { say, withNewCore } = await import('./local-core.ts');
  const made = await withNewCore(options, (core) =>
    core.tenants.create({ name, isTrial: options.trial }),
  );
  if (!options.json) say(`Next: forensics keys create --tenant ${name} --name <purpose>`);
  await printTenant(shown(made), options);
}

async function list(options: TenantOptions): Promise<void> {
  const { print, printJson, say, withLocalCore } = await import('./local-core.ts');
  const tenants = await withLocalCore(options, (core) => core.tenants.list());
  if (options.json) return printJson(tenants.map(shown));
  if (tenants.length === 0) return say('There are no tenants.');
  const { listTable } = await import('./list-table.ts');
  const rows = tenants.map((tenant) => {
    const { id, name, trial, webhookUrl, createdDate } = shown(tenant);
    return [id, name, trial ? 'trial' : '', createdDate.slice(0, 10), webhookUrl ?? ''];
  });
  print(listTable(['id', 'name', 'kind', 'created', 'webhook'], rows));
}

async function webhookSecretOf(name: string, options: TenantOptions): Promise<void> {
  const { print, printJson, tenantNamed, withLocalCore } = await import('./local-core.ts');
  const secret = await withLocalCore(options, async (core) =>
    core.webhookSecretOf((await tenantNamed(core, name)).id),
  );
  if (options.json) return printJson({ tenantName: name, webhookSecret: secret });
  print(secret);
}
