/** How a tenant is printed: one JSON object, or a line a field. */

import type { Tenant } from '../access/tenants.ts';
import type { TenantAnswer } from '../tenancy/view.ts';
import type { LocalOptions } from './local-core.ts';

export interface TenantOptions extends LocalOptions {
  readonly json: boolean;
}

export function shown(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    trial: tenant.isTrial,
    webhookUrl: tenant.webhookUrl,
    webhookState: webhookState(tenant),
    createdDate: tenant.createdAt.toISOString(),
  };
}

/** With where its objects are kept. Secrets are masked. */
export function shownWithStorage(tenant: Tenant, answer: TenantAnswer) {
  const { storageType, storageConfig = null, storageWarning } = answer;
  return { ...shown(tenant), storageType, storageConfig, storageWarning };
}

export async function printTenant(fields: object, options: TenantOptions): Promise<void> {
  const { printFields } = await import('./print-fields.ts');
  const isDefault = 'storageConfig' in fields && fields.storageConfig === null;
  const words = isDefault ? { ...fields, storageConfig: "the service's own store" } : fields;
  printFields(options.json ? fields : words, options);
}

function webhookState({ webhookUrl, webhookDisabledReason: reason, ...tenant }: Tenant): string {
  if (webhookUrl === null) return 'none';
  if (tenant.webhookDisabledAt === null) {
    const since = tenant.webhookFailingSince?.toISOString();
    return since === undefined ? 'active' : `retrying: failing since ${since}`;
  }
  return `disabled: the receiver ${reason === 'failing' ? 'failed for days' : 'answered 410'}; set the URL again`;
}
