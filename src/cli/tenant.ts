/** `forensics tenant`: the tenants on this machine. */

import type { Command } from 'commander';
import type { Tenant } from '../access/tenants.ts';
import type { LocalOptions } from './local-core.ts';
import { usageError } from './failure.ts';
import { describeTenantReport } from './tenant-report.ts';

interface TenantOptions extends LocalOptions {
  readonly json: boolean;
}

interface UpdateOptions extends TenantOptions {
  readonly name?: string;
  readonly webhookUrl?: string;
}

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
  common(tenant.command('create').description('Create a tenant.'))
    .argument('<name>', 'lower-case letters, digits, hyphens')
    .option('--trial', 'may analyse only the two trial images', false)
    .action(async (name: string, _own: unknown, command: Command) => {
      await create(name, command.optsWithGlobals<TenantOptions & { trial: boolean }>());
    });
  common(tenant.command('list').description('List all tenants.')).action(
    async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<TenantOptions>());
    },
  );
  common(tenant.command('show').description('Show one tenant.'))
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, command: Command) => {
      await show(name, command.optsWithGlobals<TenantOptions>());
    });
  common(tenant.command('update').description('Rename a tenant or set its webhook.'))
    .argument('<name>', 'the tenant')
    .option('--name <name>', 'the new name')
    .option('--webhook-url <url>', 'called on status changes; "none" removes it')
    .action(async (name: string, _own: unknown, command: Command) => {
      await update(name, command.optsWithGlobals<UpdateOptions>());
    });
  describeTenantReport(common(tenant.command('report')));
  common(tenant.command('webhook-secret').description('Print the secret that signs webhooks.'))
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, command: Command) => {
      await webhookSecretOf(name, command.optsWithGlobals<TenantOptions>());
    });
}

function common(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
}

async function create(name: string, options: TenantOptions & { trial: boolean }): Promise<void> {
  const { say, withNewCore } = await import('./local-core.ts');
  const made = await withNewCore(options, (core) =>
    core.tenants.create({ name, isTrial: options.trial }),
  );
  if (!options.json) say(`Next: forensics keys create --tenant ${name} --name <purpose>`);
  await printTenant(made, options);
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

async function show(name: string, options: TenantOptions): Promise<void> {
  const { tenantNamed, withLocalCore } = await import('./local-core.ts');
  const tenant = await withLocalCore(options, (core) => tenantNamed(core, name));
  await printTenant(tenant, options);
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const { tenantNamed, withLocalCore } = await import('./local-core.ts');
  const { webhookUrl } = options;
  if (options.name === undefined && webhookUrl === undefined) {
    throw usageError('Say what to change: --name or --webhook-url.');
  }
  const change = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(webhookUrl === undefined ? {} : { webhookUrl: webhookUrl === 'none' ? null : webhookUrl }),
  };
  const tenant = await withLocalCore(options, async (core) =>
    core.tenants.update((await tenantNamed(core, name)).id, change),
  );
  await printTenant(tenant, options);
}

async function webhookSecretOf(name: string, options: TenantOptions): Promise<void> {
  const { print, printJson, tenantNamed, withLocalCore } = await import('./local-core.ts');
  const secret = await withLocalCore(options, async (core) =>
    core.webhookSecretOf((await tenantNamed(core, name)).id),
  );
  if (options.json) return printJson({ tenantName: name, webhookSecret: secret });
  print(secret);
}

async function printTenant(tenant: Tenant, options: TenantOptions): Promise<void> {
  const { print, printJson } = await import('./local-core.ts');
  const { printable } = await import('./printable.ts');
  if (options.json) return printJson(shown(tenant));
  for (const [field, value] of Object.entries(shown(tenant))) {
    print(`${field.padEnd(14)}${printable(String(value ?? ''))}`);
  }
}

function shown(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    trial: tenant.isTrial,
    webhookUrl: tenant.webhookUrl,
    webhookState: webhookState(tenant),
    createdDate: tenant.createdAt.toISOString(),
  };
}

function webhookState({ webhookUrl, webhookDisabledReason: reason, ...tenant }: Tenant): string {
  if (webhookUrl === null) return 'none';
  if (tenant.webhookDisabledAt === null) return 'active';
  return `disabled: the receiver ${reason === 'failing' ? 'failed for days' : 'answered 410'}; set the URL again`;
}
