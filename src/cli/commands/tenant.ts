/** `forensics tenant`: the tenants of this machine; some acts also on a server. */

import { type Command } from 'commander';
import type { Tenant } from '../../service/tenants/tenants.ts';
import { tenantNamed } from '../../service/core.ts';
import { operator } from '../../service/audit/entry.ts';
import type { StorageRequest, TenantAnswer } from '../../contract/tenant.ts';
import type { WebhookState } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import { deleteTenant } from '../../service/tenants/delete-tenant.ts';
import { checkRequest } from '../../service/tenants/storage-config.ts';
import type { TenantRequest } from '../../service/tenants/tenancy.ts';
import { webhookStateOf } from '../../service/tenants/tenancy.ts';
import { usageError } from '../errors.ts';
import {
  examples,
  type LocalOptions,
  type ServiceOptions,
  withLocalOnlyOptions,
  withServiceOptions,
  yesOption,
} from '../options.ts';
import { listTable, printFields } from '../output/layout.ts';
import { confirmByName, readText } from '../input.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { withLocalCore, withNewCore } from '../connection/local.ts';
import { withService } from '../connection/service.ts';
import { describeTenantReport } from './tenant-report.ts';

export function defineTenant(tenant: Command): void {
  tenant.addHelpText(
    'after',
    `
"show", "update" and "report" also work on a server. All other commands work on the machine of the server.

Examples:
  $ forensics tenant create acme
  $ forensics tenant list --json`,
  );
  withLocalOnlyOptions(
    tenant
      .command('create')
      .description('Create a tenant.')
      .addHelpText('after', examples('tenant create acme', 'tenant create visitors --trial')),
  )
    .argument('<name>', 'lower-case letters, digits, hyphens')
    .option('--trial', 'restrict the tenant to the two trial images', false)
    .action(async (name: string, _own: unknown, command: Command) => {
      await create(name, command.optsWithGlobals<TenantOptions & { trial: boolean }>());
    });
  withLocalOnlyOptions(
    tenant
      .command('list')
      .description('List all tenants.')
      .addHelpText('after', examples('tenant list', 'tenant list --deleted --json')),
  )
    .option('--deleted', 'list deleted tenants of which data is still kept', false)
    .action(async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<ListOptions>());
    });
  describeTenantShow(withServiceOptions(tenant.command('show')));
  describeTenantUpdate(withServiceOptions(tenant.command('update')));
  describeTenantTrial(withLocalOnlyOptions(tenant.command('trial')));
  describeTenantReport(withServiceOptions(tenant.command('report')));
  registerDelete(tenant);
  withLocalOnlyOptions(
    tenant
      .command('webhook-secret')
      .description('Print the secret that signs webhooks.')
      .addHelpText(
        'after',
        examples('tenant webhook-secret acme', 'tenant webhook-secret acme > hook.secret'),
      ),
  )
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, command: Command) => {
      await webhookSecretOf(name, command.optsWithGlobals<TenantOptions>());
    });
}

async function create(name: string, options: TenantOptions & { trial: boolean }): Promise<void> {
  const made = await withNewCore(options, (core) =>
    core.tenants.create({ name, isTrial: options.trial }),
  );
  if (!options.json) log(`Next: forensics keys create --tenant ${name} --name <purpose>`);
  await printTenant(shownTenant(made), options);
}

function registerDelete(tenant: Command): void {
  withLocalOnlyOptions(
    tenant.command('delete').description('Delete a tenant and all its data permanently.'),
  )
    .argument('<name>', 'the tenant')
    .addOption(yesOption('do not ask for the name; required in scripts'))
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
      await remove(name, command.optsWithGlobals<DeleteOptions>());
    });
}

interface ListOptions extends TenantOptions {
  readonly deleted: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const tenants = await withLocalCore(options, ({ tenants: all }) =>
    options.deleted ? all.listDeleted() : all.list(),
  );
  if (options.json) return printJson(tenants.map(shownTenant));
  if (tenants.length === 0) {
    return log(options.deleted ? 'There are no deleted tenants.' : 'There are no tenants.');
  }
  const rows = tenants.map((tenant) => {
    const { id, name, trial, webhookUrl, createdDate } = shownTenant(tenant);
    return [id, name, trial ? 'trial' : '', createdDate.slice(0, 10), webhookUrl ?? ''];
  });
  print(listTable(['id', 'name', 'kind', 'created', 'webhook'], rows));
}

async function webhookSecretOf(name: string, options: TenantOptions): Promise<void> {
  const secret = await withLocalCore(options, async (core) =>
    core.webhookSecretOf((await tenantNamed(core, name)).id),
  );
  if (options.json) return printJson({ tenantName: name, webhookSecret: secret });
  print(secret);
}

interface DeleteOptions extends LocalOptions {
  readonly json: boolean;
  readonly yes: boolean;
}

const now = () => new Date();

async function remove(name: string, options: DeleteOptions): Promise<void> {
  const done = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, name);
    if (!(await isAgreed(name, options))) return null;
    return deleteTenant(core, { tenant, by: operator, now });
  });
  if (done === null) return printNothing(options);
  const { tenant, analyses } = done;
  const shown = { id: tenant.id, name, keptAs: tenant.name, analyses };
  if (options.json) return printJson({ ...shown, deleted: true });
  log(`Tenant "${name}" is deleted, with ${analyses} analyses. The name is available again.`);
  log(`Data that is kept until the retention purge is listed under "${tenant.name}".`);
}

async function isAgreed(name: string, { yes }: DeleteOptions): Promise<boolean> {
  const question = `Delete the tenant "${name}", its keys and all its analyses permanently?`;
  return yes || confirmByName(question, name);
}

function printNothing({ json }: DeleteOptions): void {
  if (json) return printJson({ deleted: false });
  log('The name does not match; nothing was deleted.');
}

/** Options of commands that print a tenant: one JSON object, or each field on a line. */
interface TenantOptions extends LocalOptions {
  readonly json: boolean;
}

/** As the operator sees it in the data folder. */
function shownTenant(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    trial: tenant.isTrial,
    webhookUrl: tenant.webhookUrl,
    webhookState: webhookStateOf(tenant),
    createdDate: tenant.createdAt.toISOString(),
  };
}

/** As its own people see it too, with where its objects are stored. Secrets are masked. */
function shownWithStorage(answer: TenantAnswer) {
  const { id, name, isTrial, webhookUrl = null, webhookState, createdDate } = answer;
  const { storageType, storageConfig = null, storageWarning } = answer;
  const fields = { id, name, trial: isTrial, webhookUrl, webhookState, createdDate };
  return { ...fields, storageType, storageConfig, storageWarning };
}

type ShownTenant = ReturnType<typeof shownTenant> | ReturnType<typeof shownWithStorage>;

async function printTenant(
  fields: ShownTenant,
  options: Pick<TenantOptions, 'json'>,
): Promise<void> {
  if (options.json) return printFields(fields, options);
  const isDefault = 'storageConfig' in fields && fields.storageConfig === null;
  printFields(
    {
      ...fields,
      webhookState: stateInWords[fields.webhookState],
      ...(isDefault ? { storageConfig: "the service's own store" } : {}),
    },
    options,
  );
}

const stateInWords: Readonly<Record<WebhookState, string>> = {
  none: 'none',
  active: 'active',
  retrying: 'retrying: the latest message was not taken',
  gone: 'disabled: the receiver answered 410; set the URL again',
  failing: 'disabled: the receiver failed for days; set the URL again',
};

interface UpdateOptions extends ServiceOptions {
  readonly name?: string;
  readonly webhookUrl?: string;
  readonly storageConfig?: string;
}

interface TrialOptions extends TenantOptions {
  readonly on?: boolean;
  readonly off?: boolean;
}

/** @param command - with the options that all commands of the service share. */
function describeTenantShow(command: Command): Command {
  return command
    .description('Show one tenant.')
    .addHelpText(
      'after',
      examples('tenant show acme', 'tenant show acme --url https://forensics.example:8443'),
    )
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, called: Command) => {
      await show(name, called.optsWithGlobals<ServiceOptions>());
    });
}

/** @param command - as above. */
function describeTenantUpdate(command: Command): Command {
  return command
    .description('Rename a tenant, set its webhook, or choose where its objects are kept.')
    .addHelpText(
      'after',
      examples(
        'tenant update acme --webhook-url https://hooks.example/forensics',
        'tenant update acme --storage-config store.json',
      ),
    )
    .argument('<name>', 'the tenant')
    .option('--name <name>', 'the new name')
    .option('--webhook-url <url>', 'where to send status changes; "none" removes it')
    .option(
      '--storage-config <file>',
      'JSON with s3 or azure, "-" for standard input; "default" for the store of the service',
    )
    .action(async (name: string, _own: unknown, called: Command) => {
      await update(name, called.optsWithGlobals<UpdateOptions>());
    });
}

/** @param command - with the options of commands on the data folder: a server does not offer it. */
function describeTenantTrial(command: Command): Command {
  return command
    .description('Restrict a tenant to the two trial images, or lift that restriction.')
    .addHelpText('after', examples('tenant trial visitors --on', 'tenant trial visitors --off'))
    .argument('<name>', 'the tenant')
    .option('--on', 'allow only the two trial images')
    .option('--off', 'allow every image')
    .action(async (name: string, _own: unknown, called: Command) => {
      await setTrial(name, called.optsWithGlobals<TrialOptions>());
    });
}

async function show(name: string, options: ServiceOptions): Promise<void> {
  const answer = await withService(options, async ({ tenants }) => tenants.read(name));
  await printTenant(shownWithStorage(answer), options);
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const request = await requestOf(options);
  const answer = await withService(options, async ({ tenants }) => tenants.change(name, request));
  await printTenant(shownWithStorage(answer), options);
}

async function setTrial(name: string, options: TrialOptions): Promise<void> {
  const isTrial = options.on === true;
  if (isTrial === (options.off === true)) throw usageError('Give either --on or --off.');
  const tenant = await withLocalCore(options, async (core): Promise<Tenant> => {
    const { id } = await tenantNamed(core, name);
    return core.tenants.update(id, { isTrial });
  });
  await printTenant(shownTenant(tenant), options);
}

async function requestOf({
  name,
  webhookUrl,
  storageConfig,
}: UpdateOptions): Promise<TenantRequest> {
  if (name === undefined && webhookUrl === undefined && storageConfig === undefined) {
    throw usageError('Name what to change: --name, --webhook-url or --storage-config.');
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(webhookUrl === undefined ? {} : { webhookUrl: webhookUrl === 'none' ? null : webhookUrl }),
    ...(storageConfig === undefined
      ? {}
      : { storageConfig: await readStorageConfig(storageConfig) }),
  };
}

async function readStorageConfig(file: string): Promise<StorageRequest | null> {
  if (file === 'default') return null;
  return checkRequest(parse(await readText(file)));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Without its cause: the parser's message quotes the text, and the text holds secrets.
    throw new ForensicsError('invalid_request', 'The storage configuration is not valid JSON.');
  }
}
