/** `forensics webhooks`: what was sent to the receivers of tenants, again and for a trial. */

import { type Command, Option } from 'commander';
import { operator } from '../../service/audit/entry.ts';
import { tenantNamed } from '../../service/core.ts';
import { type DeliveryState, deliveryStates } from '../../contract/vocabulary.ts';
import { adviceOn } from '../../ops/doctor/webhooks.ts';
import { exitCodes, ForensicsError } from '../../errors.ts';
import {
  type DeliveryEntry,
  listDeliveries,
  replay as putBack,
} from '../../service/webhooks/deliveries.ts';
import { sendTestMessage } from '../../service/webhooks/signature.ts';
import { usageError } from '../errors.ts';
import { countFromOne, type LocalOptions, withLocalOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { withLocalCore } from '../connection/local.ts';

export function defineWebhooks(webhooks: Command): void {
  webhooks.addHelpText(
    'after',
    `
Examples:
  $ forensics webhooks test --tenant acme
  $ forensics webhooks list --tenant acme --state given_up`,
  );
  describeList(common(webhooks.command('list')));
  describeReplay(common(webhooks.command('replay')));
  describeTest(common(webhooks.command('test')));
}

function describeList(command: Command): void {
  command
    .description('List the messages of a tenant, newest first; settled ones for 30 days.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(deliveryStates))
    .addOption(new Option('--limit <n>', 'at most this many').argParser(countFromOne).default(100))
    .addHelpText(
      'after',
      `
Examples:
  $ forensics webhooks list --tenant acme
  $ forensics webhooks list --tenant acme --state waiting --json`,
    )
    .action(async (_own: unknown, called: Command) => {
      await list(called.optsWithGlobals<ListOptions>());
    });
}

function describeReplay(command: Command): void {
  command
    .description('Send settled messages once more, under their old ids.')
    .argument('[id]', 'the message, as "webhooks list" names it')
    .option('--given-up', 'all that no attempt brought through', false)
    .addHelpText(
      'after',
      `
The server of the data folder sends them. Messages about one analysis keep their order; one that is being tried has its
turn first. A receiver recognises a repetition by its "webhook-id".

Examples:
  $ forensics webhooks replay msg_65f000000000000000000001 --tenant acme
  $ forensics webhooks replay --given-up --tenant acme`,
    )
    .action(async (id: string | undefined, _own: unknown, called: Command) => {
      await replay(id, called.optsWithGlobals<ReplayOptions>());
    });
}

function describeTest(command: Command): void {
  command
    .description('Send one signed test message and print the answer of the receiver.')
    .addHelpText(
      'after',
      `
Its header "webhook-event" is "test", and its body has no analysisId. Nothing is repeated or kept, and a webhook that was
switched off stays so.

Examples:
  $ forensics webhooks test --tenant acme
  $ forensics webhooks test --tenant acme --json

Exit codes: 0 the receiver took it, 1 it did not.`,
    )
    .action(async (_own: unknown, called: Command) => {
      await test(called.optsWithGlobals<WebhookOptions>());
    });
}

function common(command: Command): Command {
  return withLocalOptions(command.requiredOption('--tenant <name>', 'the tenant'));
}

interface WebhookOptions extends LocalOptions {
  readonly tenant: string;
  readonly json: boolean;
}

interface ListOptions extends WebhookOptions {
  readonly state?: DeliveryState;
  readonly limit: number;
}

async function list(options: ListOptions): Promise<void> {
  const { tenant, state = null, limit } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, tenant);
    return listDeliveries(core.database.db, { tenantId, state, limit });
  });
  if (options.json) return printJson(entries.map(shown));
  if (entries.length === 0) return log('There are no such messages.');
  const head = ['id', 'event', 'subject', 'created', 'attempts', 'state', 'last outcome', 'next'];
  print(listTable(head, entries.map(rowOf)));
}

/** Names of times as elsewhere in what we print. */
function shown({ createdAt, nextAttemptAt, settledAt, ...entry }: DeliveryEntry) {
  return {
    ...entry,
    createdDate: createdAt.toISOString(),
    nextAttemptDate: nextAttemptAt?.toISOString() ?? null,
    settledDate: settledAt?.toISOString() ?? null,
  };
}

function rowOf(entry: DeliveryEntry): readonly string[] {
  const { id, event, subject, createdAt, attempts, state, lastOutcome } = entry;
  const created = toSeconds(createdAt);
  const done = [String(attempts), state, lastOutcome ?? '-'];
  return [id, event, subject, created, ...done, nextOf(entry)];
}

function nextOf({ state, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== null) return toSeconds(nextAttemptAt);
  return state === 'waiting' ? 'after the one before it' : '-';
}

function toSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

interface ReplayOptions extends WebhookOptions {
  readonly givenUp: boolean;
}

async function replay(id: string | undefined, options: ReplayOptions): Promise<void> {
  const which = whichOf(id, options);
  const replayed = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, options.tenant);
    return putBack(core.database.db, { tenantId, which, at: new Date(), by: operator });
  });
  if (options.json) return printJson({ replayed });
  for (const message of replayed) print(message.id);
  log(
    replayed.length === 0
      ? 'No message was given up.'
      : `Back in line: ${replayed.length}. The server of this data folder sends them.`,
  );
}

function whichOf(id: string | undefined, { givenUp }: ReplayOptions) {
  if (id !== undefined && !givenUp) return { id };
  if (id === undefined && givenUp) return 'given_up';
  throw usageError('Give the id of one message, or --given-up for all that failed.');
}

async function test(options: WebhookOptions): Promise<void> {
  const answer = await withLocalCore(options, async (core, settings) => {
    const tenant = await tenantNamed(core, options.tenant);
    const { id: tenantId, webhookUrl: url } = tenant;
    if (url === null) throw noWebhook(tenant.name);
    const { webhookKey: serverKey } = core;
    const allow = settings.webhookAllow;
    const begun = performance.now();
    const sent = await sendTestMessage({ tenantId, url, serverKey, allow, at: new Date() });
    const tookMs = Math.round(performance.now() - begun);
    // No more of the URL: what follows may contain a token.
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
  if (advice !== null) print(`Fix: ${advice}`);
  if (isOff) log(`The webhook is switched off. ${settingAnew(options.tenant)}`);
}

function noWebhook(tenantName: string): ForensicsError {
  const message = `The tenant has no webhook. ${settingAnew(tenantName)}`;
  return new ForensicsError('conflict', message);
}

function settingAnew(tenantName: string): string {
  return `Set its URL: forensics tenant update ${tenantName} --webhook-url <url>`;
}
