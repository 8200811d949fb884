/** Checks whether the tenants' webhook receivers accept messages. */

import type { Tenant } from '../../service/tenants/tenants.ts';
import type { Db } from '../../ports/db/database.ts';
import { listDeliveries } from '../../service/webhooks/deliver.ts';
import { diagnose, type Diagnosis } from './installation.ts';

export function judgeWebhook(
  tenant: Pick<
    Tenant,
    'name' | 'webhookDisabledAt' | 'webhookDisabledReason' | 'webhookFailingSince'
  >,
  lastFailure: string | null,
): Diagnosis {
  const { name, webhookDisabledAt, webhookDisabledReason, webhookFailingSince } = tenant;
  const { ok, warning, failed } = diagnose('webhook', name);
  const outcome = lastFailure === null ? '' : ` Last outcome: ${lastFailure}.`;
  const advice = lastFailure === null ? '' : `${adviceOn(lastFailure, name)} `;
  if (webhookDisabledAt !== null) {
    const why = webhookDisabledReason === 'gone' ? 'its receiver returned 410 Gone' : 'it failed';
    return failed(
      `Switched off on ${webhookDisabledAt.toISOString().slice(0, 10)}, because ${why}.${outcome}`,
      `${advice}Then set its URL again: forensics tenant update ${name} --webhook-url <url>`,
    );
  }
  if (webhookFailingSince === null)
    return ok('Its receiver accepted the last message, or has not been sent one yet.');
  const summary = `Its receiver has been failing since ${webhookFailingSince.toISOString()}.${outcome}`;
  return warning(summary, `${advice}Then test it: forensics webhooks test --tenant ${name}`);
}

/** Only the newest messages count; older ones say little about today. */
const messagesRead = 20;

/** The outcome of the last failed attempt; null if none is known. */
export async function findLastFailure(db: Db, tenantId: string): Promise<string | null> {
  const entries = await listDeliveries(db, { tenantId, state: null, limit: messagesRead });
  const failed = entries.find(
    ({ state, lastOutcome }) => state !== 'delivered' && lastOutcome !== null,
  );
  return failed?.lastOutcome ?? null;
}

const advices: readonly (readonly [outcome: RegExp, advice: string])[] = [
  [
    /^http_410$/,
    'It returned 410, which means “send no more”: deliveries would stop after the first real message. Stop returning 410, or set a different URL.',
  ],
  [/^http_3/, 'It redirects, and redirects are not followed. Set the URL it redirects to.'],
  [
    /^http_40[13]$/,
    'It rejected the sender. Check the token in the URL, and that the receiver has the secret from: forensics tenant webhook-secret <tenant>',
  ],
  [/^http_40[45]$/, 'Nothing accepts a POST at this path. Check the path of the URL.'],
  [/^http_429$/, 'It is rate-limiting this sender. Raise the limit there.'],
  [
    /^http_4/,
    'It rejected the message. It must respond to a POST of application/json with a 2xx status.',
  ],
  [/^http_5/, 'It failed with a server error. Check its log, then try again.'],
  [/^http_/, 'It must respond with a 2xx status.'],
  [
    /^(timeout|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    'It did not respond within 5 s. Check any firewalls in between; a receiver should respond first and do its work afterwards.',
  ],
  [
    /^address_refused$/,
    'Webhooks to its address are not allowed. Allow it in the webhookAllow setting (FORENSICS_WEBHOOK_ALLOW), such as external,private or external,127.0.0.0/8, here and for the server.',
  ],
  [
    /^no_address$/,
    'Its host name has no address, or none that webhooks are allowed to reach. Check the host in the URL and DNS, or allow its range in the webhookAllow setting (FORENSICS_WEBHOOK_ALLOW).',
  ],
  [
    /^ECONNREFUSED$/,
    'Nothing is listening there. Start the receiver, or check the port in the URL.',
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH)$/,
    'It cannot be reached. Check the network connection of this machine.',
  ],
  [
    /CERT|ISSUER|SIGNATURE|ALTNAME|TLS/,
    'Its certificate is not trusted. Renew it, or specify the CA that signed it in NODE_EXTRA_CA_CERTS, here and for the server.',
  ],
  [
    /^(ECONNRESET|EPIPE|EPROTO|UND_ERR_SOCKET)$|^HPE_|SSL/,
    'It closed the connection. Check whether the URL should begin with http:// or https://.',
  ],
];

/** What to do about a refused message. @param outcome - as the sender records it: `http_500`, `ECONNREFUSED`. */
export function adviceOn(outcome: string, tenantName: string): string {
  const [, advice = 'The connection failed. Check the URL and the network.'] =
    advices.find(([pattern]) => pattern.test(outcome)) ?? [];
  return advice.replace('<tenant>', tenantName);
}
