/** `forensics tenant show`, `update` and `trial`: what a tenant is set to. */

import type { Command } from 'commander';
import type { Tenant } from '../access/tenants.ts';
import { ForensicsError } from '../errors.ts';
import type { TenantRequest } from '../tenancy/change.ts';
import type { StorageRequest } from '../tenancy/storage-wire.ts';
import { usageError } from './failure.ts';
import { readText } from './read-text.ts';
import type { ServiceOptions } from './service-options.ts';
import { printTenant, shown, shownWithStorage, type TenantOptions } from './tenant-lines.ts';

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
export function describeTenantShow(command: Command): Command {
  return command
    .description('Show one tenant.')
    .argument('<name>', 'the tenant')
    .action(async (name: string, _own: unknown, called: Command) => {
      await show(name, called.optsWithGlobals<ServiceOptions>());
    });
}

/** @param command - as above. */
export function describeTenantUpdate(command: Command): Command {
  return command
    .description('Rename a tenant, set its webhook, or choose where its objects are kept.')
    .argument('<name>', 'the tenant')
    .option('--name <name>', 'the new name')
    .option('--webhook-url <url>', 'called on status changes; "none" removes it')
    .option(
      '--storage-config <file>',
      'JSON with s3 or azure, "-" for standard input; "default" for the store of the service',
    )
    .action(async (name: string, _own: unknown, called: Command) => {
      await update(name, called.optsWithGlobals<UpdateOptions>());
    });
}

/** @param command - with the options of commands on the data folder: a server does not offer it. */
export function describeTenantTrial(command: Command): Command {
  return command
    .description('Let a tenant analyse only the two trial images, or every image.')
    .argument('<name>', 'the tenant')
    .option('--on', 'only the two trial images')
    .option('--off', 'every image')
    .action(async (name: string, _own: unknown, called: Command) => {
      await setTrial(name, called.optsWithGlobals<TrialOptions>());
    });
}

async function show(name: string, options: ServiceOptions): Promise<void> {
  const { withService } = await import('./service/open.ts');
  const answer = await withService(options, async ({ tenants }) => tenants.read(name));
  await printTenant(shownWithStorage(answer), options);
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const { withService } = await import('./service/open.ts');
  const request = await requestOf(options);
  const answer = await withService(options, async ({ tenants }) => tenants.change(name, request));
  await printTenant(shownWithStorage(answer), options);
}

async function setTrial(name: string, options: TrialOptions): Promise<void> {
  const { tenantNamed } = await import('../app/tenant-named.ts');
  const { withLocalCore } = await import('./local-core.ts');
  const isTrial = options.on === true;
  if (isTrial === (options.off === true)) throw usageError('Say either --on or --off.');
  const tenant = await withLocalCore(options, async (core): Promise<Tenant> => {
    const { id } = await tenantNamed(core, name);
    return core.tenants.update(id, { isTrial });
  });
  await printTenant(shown(tenant), options);
}

async function requestOf({
  name,
  webhookUrl,
  storageConfig,
}: UpdateOptions): Promise<TenantRequest> {
  if (name === undefined && webhookUrl === undefined && storageConfig === undefined) {
    throw usageError('Say what to change: --name, --webhook-url or --storage-config.');
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
  const { checkRequest } = await import('../tenancy/check-storage.ts');
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
