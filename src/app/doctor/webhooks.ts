/** Whether the receivers of the tenants take their messages; with a message of trial where somebody asked for it. */

import type { Tenant } from '../../access/tenants.ts';
import type { Settings } from '../../config.ts';
import { listDeliveries } from '../../webhooks/archive.ts';
import { sendTestMessage } from '../../webhooks/test-message.ts';
import type { Core } from '../core.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';
import { adviceOn } from './webhook-advice.ts';

export interface WebhooksToCheck {
  readonly settings: Pick<Settings, 'webhookAllow'>;
  readonly core: Pick<Core, 'database' | 'tenants' | 'webhookKey'>;
  /** Null for all tenants. */
  readonly tenant: Tenant | null;
  /** Whether a message of trial is sent to each receiver. */
  readonly isSending: boolean;
  readonly now: () => Date;
}

/** Nothing for tenants that have no webhook. */
export async function checkWebhooks(parts: WebhooksToCheck): Promise<readonly Diagnosis[]> {
  const { core, tenant } = parts;
  const all = tenant === null ? await core.tenants.list() : [tenant];
  const found = await Promise.all(all.map(async (each) => checkWebhook(parts, each)));
  return found.flat();
}

async function checkWebhook(parts: WebhooksToCheck, tenant: Tenant): Promise<readonly Diagnosis[]> {
  if (tenant.webhookUrl === null) return [];
  const state = judgeState(tenant, lastFailureOf(parts, tenant));
  return parts.isSending ? [state, await send(parts, tenant, tenant.webhookUrl)] : [state];
}

type WebhookState = Pick<
  Tenant,
  'name' | 'webhookDisabledAt' | 'webhookDisabledReason' | 'webhookFailingSince'
>;

/** @param lastFailure - outcome of the last attempt that failed; null when none is known. */
export function judgeState(tenant: WebhookState, lastFailure: string | null): Diagnosis {
  const { name, webhookDisabledAt, webhookDisabledReason, webhookFailingSince } = tenant;
  const { ok, warning, failed } = diagnose('webhook', name);
  const outcome = lastFailure === null ? '' : ` Last outcome: ${lastFailure}.`;
  const advice = lastFailure === null ? '' : `${adviceOn(lastFailure, name)} `;
  if (webhookDisabledAt !== null) {
    const why = webhookDisabledReason === 'gone' ? 'its receiver answered 410' : 'it failed';
    return failed(
      `Switched off on ${dayOf(webhookDisabledAt)}, because ${why}.${outcome}`,
      `${advice}Then set its URL anew: forensics tenant update ${name} --webhook-url <url>`,
    );
  }
  if (webhookFailingSince === null) return ok('Its receiver took the last message, or got none.');
  const told = `Its receiver has been failing since ${webhookFailingSince.toISOString()}.${outcome}`;
  return warning(told, `${advice}Try it out: forensics webhooks test --tenant ${name}`);
}

/** Of the newest messages; older ones say little about today. */
const messagesRead = 20;

function lastFailureOf({ core }: WebhooksToCheck, { id: tenantId }: Tenant): string | null {
  const query = { tenantId, state: null, limit: messagesRead };
  const entries = listDeliveries(core.database.db, query);
  const failed = entries.find(
    ({ state, lastOutcome }) => state !== 'delivered' && lastOutcome !== null,
  );
  return failed?.lastOutcome ?? null;
}

async function send(
  { settings, core, now }: WebhooksToCheck,
  { id: tenantId, name }: Tenant,
  url: string,
): Promise<Diagnosis> {
  const { ok, failed } = diagnose('webhook test', name);
  const { webhookKey: serverKey } = core;
  const allow = settings.webhookAllow;
  const sent = await sendTestMessage({ tenantId, url, serverKey, allow, at: now() });
  // No more of the URL: what follows may hold a token.
  const { origin } = new URL(url);
  return sent.kind === 'accepted'
    ? ok(`${origin} took a message of trial (${sent.detail}).`)
    : failed(
        `${origin} did not take a message of trial (${sent.detail}).`,
        adviceOn(sent.detail, name),
      );
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
