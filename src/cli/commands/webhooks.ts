/** `forensics webhooks`: lists webhook messages, sends them again, and sends a test message. */

import { Option } from 'commander';
import { type DeliveryState, deliveryStates } from '../../contract/vocabulary.ts';
import { exitCodes, conflict, usageError } from '../../contract/errors.ts';
import { adviceOn } from '../../ops/doctor/webhooks.ts';
import { operator } from '../../service/audit/entry.ts';
import { tenantNamed } from '../../service/core.ts';
import {
  listDeliveries,
  replay as putBack,
  sendTestMessage,
} from '../../service/webhooks/deliver.ts';
import { withLocalCore } from '../connection/local.ts';
import { type Command, countFromOne, type TenantOptions } from '../options.ts';
import { printList } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';

export function defineWebhooks(webhooks: Command): void {
  webhooks.examples('test --tenant acme', 'list --tenant acme --state given_up');
  const lists = 'List the messages of a tenant, newest first; settled ones are kept for 30 days.';
  webhooks
    .tenantCommand('list', lists)
    .examples('--tenant acme', '--tenant acme --state waiting --json')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(deliveryStates))
    .option('--limit <n>', 'at most this many', countFromOne, 100)
    .action(list);
  webhooks
    .tenantCommand('replay', 'Send settled messages again, with their original ids.')
    .argument('[id]', 'the id of the message, from "webhooks list"')
    .option('--given-up', 'all messages that were given up on after the last attempt', false)
    .helpAfter(`
The server that uses the data folder sends them. Messages about one analysis are sent in order, after any being delivered. A
receiver recognises a repeated message by its "webhook-id".`)
    .examples('msg_65f000000000000000000001 --tenant acme', '--given-up --tenant acme')
    .action(replay);
  webhooks
    .tenantCommand('test', "Send one signed test message and print the receiver's response.")
    .helpAfter(`
Its "webhook-event" header is "test", and its body has no analysisId. It is not retried or stored, and a webhook that was
switched off stays off.`)
    .examples('--tenant acme', '--tenant acme --json')
    .helpAfter(`
Exit codes: 0 the receiver accepted it, 1 it did not.`)
    .action(test);
}

async function list(
  options: TenantOptions & { readonly state?: DeliveryState; readonly limit: number },
): Promise<void> {
  const { tenant, state = null, limit } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, tenant);
    return listDeliveries(core.database.db, { tenantId, state, limit });
  });
  printList(
    entries,
    {
      id: ({ id }) => id,
      event: ({ event }) => event,
      subject: ({ subject }) => subject,
      created: ({ createdDate }) => toSeconds(createdDate),
      attempts: ({ attempts }) => String(attempts),
      state: (entry) => entry.state,
      'last outcome': ({ lastOutcome }) => lastOutcome ?? '-',
      next(entry) {
        if (entry.nextAttemptDate !== null) return toSeconds(entry.nextAttemptDate);
        return entry.state === 'waiting' ? 'after the one before it' : '-';
      },
    },
    { ...options, none: 'There are no matching messages.' },
  );
}

function toSeconds(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

async function replay(
  id: string | undefined,
  options: TenantOptions & { readonly givenUp: boolean },
): Promise<void> {
  if ((id === undefined) !== options.givenUp) {
    throw usageError('Give the id of a message, or --given-up for all that failed.');
  }
  const replayed = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, options.tenant);
    const which = id === undefined ? 'given_up' : { id };
    return putBack(core.database.db, { tenantId, which, at: new Date(), by: operator });
  });
  if (options.json) return printJson({ replayed });
  for (const message of replayed) print(message.id);
  log(
    replayed.length === 0
      ? 'No messages have been given up on.'
      : `Messages queued again: ${replayed.length}. The server that uses this data folder will send them.`,
  );
}

async function test(options: TenantOptions): Promise<void> {
  const { isOff, ...answer } = await withLocalCore(options, async (core, settings) => {
    const tenant = await tenantNamed(core, options.tenant);
    const { id: tenantId, webhookUrl: url } = tenant;
    if (url === null) {
      throw conflict(`The tenant has no webhook. ${setUrlHint(tenant.name)}`);
    }
    const sent = await sendTestMessage({
      tenantId,
      url,
      serverKey: core.webhookKey,
      allow: settings.webhookAllow,
      at: new Date(),
    });
    const { id, isAccepted: taken, outcome, tookMs } = sent;
    // Prints only the origin, because the rest of the URL may contain a token.
    const receiver = new URL(url).origin;
    return { id, receiver, taken, outcome, tookMs, isOff: tenant.webhookDisabledAt !== null };
  });
  const { receiver, taken, outcome, tookMs } = answer;
  if (!taken) process.exitCode = exitCodes.failure;
  const advice = taken ? null : adviceOn(outcome, options.tenant);
  if (options.json) return printJson({ ...answer, switchedOff: isOff, advice });
  print(`${receiver} ${taken ? 'accepted' : 'did not accept'} it: ${outcome} after ${tookMs} ms`);
  if (advice !== null) print(`Fix: ${advice}`);
  if (isOff) log(`The webhook is switched off. ${setUrlHint(options.tenant)}`);
}

function setUrlHint(tenantName: string): string {
  return `Set its URL: forensics tenant update ${tenantName} --webhook-url <url>`;
}
