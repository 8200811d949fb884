/** How a tenant is printed: one JSON object, or a line a field. */

import type { Tenant } from '../access/tenants.ts';
import { type TenantAnswer, webhookStateOf } from '../tenancy/view.ts';
import type { LocalOptions } from './local-core.ts';
import type { WebhookState } from '../contract/vocabulary.ts';

export interface TenantOptions extends LocalOptions {
  readonly json: boolean;
}

/** As the operator sees it in the data folder. */
export function shown(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    trial: tenant.isTrial,
    webhookUrl: tenant.webhookUrl,
    webhookState: webhookStateOf(tenant),
    createdDate: tenant.createdAt.toISOString(),
  };
}

/** As its own people see it too, with where its objects are kept. Secrets are masked. */
export function shownWithStorage(answer: TenantAnswer) {
  const { id, name, isTrial, webhookUrl = null, webhookState, createdDate } = answer;
  const { storageType, storageConfig = null, storageWarning } = answer;
  const fields = { id, name, trial: isTrial, webhookUrl, webhookState, createdDate };
  return { ...fields, storageType, storageConfig, storageWarning };
}

type ShownTenant = ReturnType<typeof shown> | ReturnType<typeof shownWithStorage>;

export async function printTenant(
  fields: ShownTenant,
  options: Pick<TenantOptions, 'json'>,
): Promise<void> {
  const { printFields } = await import('./print-fields.ts');
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
