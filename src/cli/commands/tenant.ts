/** `forensics tenant`: the tenants on this machine, and `forensics usage`: how much each has used. */

import type { Tenant } from '../../service/tenants/tenants.ts';
import { type Core, keptTenantNamed, tenantNamed } from '../../service/core.ts';
import { operator } from '../../service/audit/entry.ts';
import { withoutUndefined } from '../../contract/common.ts';
import type { StorageRequest, TenantResponse } from '../../contract/tenant.ts';
import type { WebhookState } from '../../contract/vocabulary.ts';
import { invalidRequest, usageError } from '../../contract/errors.ts';
import {
  deleteTenant,
  readWebhookState,
  type TenantRequest,
} from '../../service/tenants/tenancy.ts';
import { checkRequest } from '../../service/tenants/merge-storage.ts';
import { type Command, type LocalOptions, parseDay, type TextOptions } from '../options.ts';
import { type Columns, printFields, printList } from '../output/layout.ts';
import { confirmByName, log, print, printJson, readText } from '../output/terminal.ts';
import {
  loadTenancy,
  now,
  settingsFor,
  warnAboutWebhook,
  withCore,
  withLocalCore,
} from '../connection/local.ts';
import { Option } from 'commander';
import type { UsageReport } from '../../contract/usage.ts';
import { csvText, usageColumns } from '../../present/csv.ts';

export function defineTenant(tenant: Command): void {
  tenant
    .helpAfter(`
These commands only work on the server's own machine.`)
    .examples('create acme', 'list --json');
  tenant
    .localCommand('create', 'Create a tenant.')
    .examples('acme', 'visitors --trial')
    .argument('<name>', 'lower-case letters, digits, hyphens')
    .option('--trial', 'restrict the tenant to the two trial images', false)
    .action(create);
  tenant.localCommand('list', 'List all tenants.').examples('', '--json').action(list);
  onTenant(tenant, 'show', 'Show one tenant.').examples('acme', 'acme --json').action(show);
  onTenant(
    tenant,
    'update',
    'Rename a tenant, set its webhook, or choose where its objects are stored.',
  )
    .examples(
      'acme --webhook-url https://hooks.example/forensics',
      'acme --storage-config store.json',
    )
    .option('--name <name>', 'the new name')
    .option('--webhook-url <url>', 'where to send status changes; "none" removes it')
    .option(
      '--storage-config <file>',
      'JSON with s3 or azure, "-" for standard input; "default" for the service\'s own store',
    )
    .action(update);
  onTenant(tenant, 'trial', 'Restrict a tenant to the two trial images, or lift that restriction.')
    .examples('visitors --on', 'visitors --off')
    .option('--on', 'allow only the two trial images')
    .option('--off', 'allow every image')
    .action(setTrial);
  onTenant(tenant, 'delete', 'Delete a tenant and all its data permanently.')
    .option('--yes', 'do not ask for the name as confirmation; required in scripts', false)
    .helpAfter(`
Immediately: its keys are revoked, the sessions of its users end, its analyses are hidden, its webhook is no longer
called, and its name becomes available. A running server applies this from its next request onwards. Its users keep
their accounts. A tenant with a legal hold cannot be deleted.

Later, the server's daily clean-up purges its analyses and their objects, deletedRetentionDays after the deletion (30 by
default), then its usage figures and its row. The audit log is kept permanently. Until then, "usage", "audit"
and "hold" know the tenant as NAME~ID. Presigned URLs already issued work until they expire, at most 7 days.`)
    .examples('acme', 'acme --yes --json')
    .action(remove);
  onTenant(tenant, 'webhook-secret', 'Print the secret that signs webhooks.')
    .examples('acme', 'acme > hook.secret')
    .action(printWebhookSecret);
}

function onTenant(tenant: Command, name: string, description: string): Command {
  return tenant.localCommand(name, description).argument('<name>', 'the tenant');
}

async function create(name: string, options: LocalOptions & { readonly trial: boolean }) {
  const made = await withCore(settingsFor(options), (core) =>
    core.tenants.create({ name, isTrial: options.trial }),
  );
  if (!options.json) log(`Next: forensics keys create --tenant ${name} --name <purpose>`);
  printTenant(shownTenant(made), options);
}

async function list(options: LocalOptions): Promise<void> {
  const tenants = await withLocalCore(options, (core) => core.tenants.list());
  printList(
    tenants.map(shownTenant),
    {
      id: ({ id }) => id,
      name: ({ name }) => name,
      kind: ({ trial }) => (trial ? 'trial' : ''),
      created: ({ createdDate }) => createdDate.slice(0, 10),
      webhook: ({ webhookUrl }) => webhookUrl ?? '',
    },
    { ...options, none: 'There are no tenants.' },
  );
}

async function printWebhookSecret(name: string, options: LocalOptions): Promise<void> {
  const secret = await withLocalCore(options, async (core) =>
    core.webhookSecretOf((await tenantNamed(core, name)).id),
  );
  if (options.json) return printJson({ tenantName: name, webhookSecret: secret });
  print(secret);
}

async function remove(name: string, options: LocalOptions & { readonly yes: boolean }) {
  const question = `Delete the tenant "${name}", its keys and all its analyses permanently?`;
  const deleted = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, name);
    if (!options.yes && !(await confirmByName(question, name))) return null;
    return deleteTenant(core, { tenant, by: operator, now });
  });
  if (deleted === null) {
    if (options.json) return printJson({ deleted: false });
    return log('The name does not match; nothing was deleted.');
  }
  const { analyses, tenant } = deleted;
  const { id, name: keptAs } = tenant;
  if (options.json) return printJson({ id, name, keptAs, analyses, deleted: true });
  log(`Tenant "${name}" is deleted, with ${analyses} analyses. The name is available again.`);
  log(`Data kept until the retention purge is listed under "${keptAs}".`);
}

function shownTenant(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    trial: tenant.isTrial,
    webhookUrl: tenant.webhookUrl,
    webhookState: readWebhookState(tenant),
    createdDate: tenant.createdAt.toISOString(),
  };
}

/** A tenant as its own users also see it, with its storage configuration. Secrets are masked. */
function shownWithStorage(answer: TenantResponse) {
  const { id, name, isTrial: trial, webhookUrl = null, webhookState, createdDate } = answer;
  const { storageType, storageConfig = null, storageWarning } = answer;
  const storage = { storageType, storageConfig, storageWarning };
  return { id, name, trial, webhookUrl, webhookState, createdDate, ...storage };
}

function printTenant(
  fields: ReturnType<typeof shownTenant> | ReturnType<typeof shownWithStorage>,
  options: Pick<LocalOptions, 'json'>,
): void {
  if (options.json) return printJson(fields);
  const isDefault = 'storageConfig' in fields && fields.storageConfig === null;
  const storage = isDefault ? { storageConfig: "the service's own store" } : {};
  const webhookState = webhookStates[fields.webhookState];
  printFields({ ...fields, webhookState, ...storage }, options);
}

const webhookStates: Readonly<Record<WebhookState, string>> = {
  none: 'none',
  active: 'active',
  retrying: 'retrying: the latest message was not accepted',
  gone: 'disabled: the receiver returned 410; set the URL again',
  failing: 'disabled: the receiver has failed for days; set the URL again',
};

type UpdateOptions = LocalOptions & TextOptions<'name' | 'webhookUrl' | 'storageConfig'>;

async function show(name: string, options: LocalOptions): Promise<void> {
  const answer = await withLocalCore(options, async (core, settings) => {
    const tenant = await tenantNamed(core, name);
    return (await loadTenancy(core, settings)).read(tenant);
  });
  printTenant(shownWithStorage(answer), options);
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const request = await readChange(options);
  const answer = await withLocalCore(options, async (core, settings) => {
    const tenant = await tenantNamed(core, name);
    const changed = await (await loadTenancy(core, settings)).change(tenant, request, operator);
    if (request.webhookUrl != null) await warnAboutWebhook(request.webhookUrl, settings);
    return changed;
  });
  printTenant(shownWithStorage(answer), options);
}

async function setTrial(
  name: string,
  options: LocalOptions & { readonly on?: boolean; readonly off?: boolean },
): Promise<void> {
  const isTrial = options.on === true;
  if (isTrial === (options.off === true)) throw usageError('Give either --on or --off.');
  const tenant = await withLocalCore(options, async (core): Promise<Tenant> => {
    const { id } = await tenantNamed(core, name);
    return core.tenants.update(id, { isTrial });
  });
  printTenant(shownTenant(tenant), options);
}

async function readChange(options: UpdateOptions): Promise<TenantRequest> {
  const { name, webhookUrl, storageConfig: file } = options;
  if (name === undefined && webhookUrl === undefined && file === undefined) {
    throw usageError('Specify what to change: --name, --webhook-url or --storage-config.');
  }
  return withoutUndefined({
    name,
    webhookUrl: webhookUrl === 'none' ? null : webhookUrl,
    storageConfig: file === undefined ? undefined : await readStorageConfig(file),
  });
}

async function readStorageConfig(file: string): Promise<StorageRequest | null> {
  if (file === 'default') return null;
  const text = await readText(file);
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    // The cause is left out, because the parser's message quotes the text, including its secrets.
    throw invalidRequest('The storage configuration is not valid JSON.');
  }
  return checkRequest(config);
}

// `forensics usage`: one row per tenant.

export function defineUsage(command: Command): void {
  command
    .localOptions()
    .option('--tenant <name>', 'only this tenant')
    .option('--from <day>', 'first day (UTC), such as 2026-03-01 (default: the earliest)', parseDay)
    .option('--to <day>', 'last day (UTC) (default: today)', parseDay)
    .addOption(
      new Option('--csv', 'CSV with a header, one row per tenant and day (UTC)')
        .default(false)
        .conflicts('json'),
    )
    .helpAfter(`
It shows every tenant, including deleted ones (NAME~ID) while any of their data is kept. --json and --csv print all figures.`)
    .examples('--from 2026-03-01 --to 2026-03-31', '--tenant acme --csv')
    .action(usage);
}

/** `from` and `to`: first and last day (UTC), `YYYY-MM-DD`; all time when both are left out. */
interface UsageOptions extends LocalOptions, TextOptions<'tenant' | 'from' | 'to'> {
  readonly csv: boolean;
}

interface Used {
  readonly tenantName: string;
  readonly report: UsageReport;
  /** One report per day; empty without `--csv`. */
  readonly days: readonly UsageReport[];
}

async function usage(options: UsageOptions): Promise<void> {
  const used = await withLocalCore(options, (core) => allUsed(core, options));
  if (options.csv) {
    const rows = used.flatMap(({ tenantName, days }) =>
      days.map((day) => [tenantName, ...Object.values(usageColumns).map((read) => read(day))]),
    );
    const text = csvText([['tenant', ...Object.keys(usageColumns)], ...rows]);
    return void process.stdout.write(text);
  }
  if (options.json) {
    return printJson(used.map(({ tenantName, report }) => ({ tenantName, ...report })));
  }
  printList(used, columns, { json: false, none: 'There are no tenants.' });
}

async function allUsed(core: Core, options: UsageOptions): Promise<readonly Used[]> {
  const tenants =
    options.tenant === undefined
      ? [...(await core.tenants.list()), ...(await core.tenants.listDeleted())]
      : [await keptTenantNamed(core, options.tenant)];
  const all: Used[] = [];
  for (const tenant of tenants) all.push(await usedBy(core, tenant, options));
  return all;
}

async function usedBy(core: Core, tenant: Tenant, options: UsageOptions): Promise<Used> {
  const { from, to, csv } = options;
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to)) {
    throw usageError('--from must not be later than --to.');
  }
  const isAll = from === undefined && to === undefined;
  // A day rather than a time, so that `--to` may be the same day.
  const created = toDay(tenant.createdAt.getTime());
  const period = { startTime: from ?? created, ...(to !== undefined && { endTime: to }) };
  const query = isAll ? ({ type: 'total' } as const) : ({ type: 'range', ...period } as const);
  const report = await core.usage.report(tenant, query);
  const days: UsageReport[] = [];
  for (const day of csv ? daysIn(report, created) : []) {
    const ofDay = { type: 'range', startTime: day, endTime: day } as const;
    days.push(await core.usage.report(tenant, ofDay));
  }
  return { tenantName: tenant.name, report, days };
}

const dayMs = 86_400_000;

function daysIn({ startTime, endTime }: UsageReport, created: string): readonly string[] {
  const first = Math.floor(Math.max(Date.parse(startTime), Date.parse(created)) / dayMs);
  const last = Math.floor(Math.min(Date.parse(endTime), Date.now()) / dayMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    toDay((first + at) * dayMs),
  );
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const done = ({ report }: Used) => report.successfulProcessing;

// The figures needed for billing and complaints; `--json` and `--csv` contain all of them.
const columns: Columns<Used> = {
  tenant: ({ tenantName }) => tenantName,
  succeeded: (used) => String(done(used).byType.total),
  real: (used) => String(done(used).byResult.real),
  fake: (used) => String(done(used).byResult.fake),
  uncertain: (used) => String(done(used).byResult.uncertain),
  abstain: (used) => String(done(used).byResult.abstain),
  flagging: (used) => String(done(used).byModelTypeAndTier.image.flagging),
  forensicReporting: (used) => String(done(used).byModelTypeAndTier.image.forensicReporting),
  failed: ({ report }) => String(report.impediments.processingErrors),
  pending: ({ report }) => String(report.queuedAnalyses),
};
