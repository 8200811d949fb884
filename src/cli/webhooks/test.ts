/** `forensics webhooks test`. */

import { exitCodes, ForensicsError } from '../../errors.ts';
import { sendTestMessage } from '../../webhooks/test-message.ts';
import { tenantNamed } from '../../app/tenant-named.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import { adviceOn } from '../../app/doctor/webhook-advice.ts';
import type { WebhookOptions } from './options.ts';

export async function test(options: WebhookOptions): Promise<void> {
  const answer = await withLocalCore(options, async (core, settings) => {
    const tenant = await tenantNamed(core, options.tenant);
    const { id: tenantId, webhookUrl: url } = tenant;
    if (url === null) throw noWebhook(tenant.name);
    const { webhookKey: serverKey } = core;
    const allow = settings.webhookAllow;
    const begun = performance.now();
    const sent = await sendTestMessage({ tenantId, url, serverKey, allow, at: new Date() });
    const tookMs = Math.round(performance.now() - begun);
    // No more of the URL: what follows may hold a token.
    const receiver = new URL(url).origin;
    const { id, detail: outcome } = sent;
    const isOff = tenant.webhookDisabledAt !== null;
    return { id, receiver, taken: sent.kind === 'accepted', outcome, tookMs, isOff };
  });
  if (!answer.taken) process.exitCode = exitCodes.failure;
  const advice = answer.taken ? null : adviceOn(answer.outcome, options.tenant);
  const { isOff, ...facts } = answer;
  if (options.json) return printJson({ ...facts, switchedOff: isOff, advice });
  const { receiver, taken, outcome, tookMs } = facts;
  print(`${receiver} ${taken ? 'took' : 'did not take'} it: ${outcome} after ${tookMs} ms`);
  if (advice !== null) print(`To mend: ${advice}`);
  if (isOff) say(`The webhook is switched off. ${settingAnew(options.tenant)}`);
}

function noWebhook(tenantName: string): ForensicsError {
  const message = `The tenant has no webhook. ${settingAnew(tenantName)}`;
  return new ForensicsError('conflict', message);
}

function settingAnew(tenantName: string): string {
  return `Set its URL: forensics tenant update ${tenantName} --webhook-url <url>`;
}
