/** `forensics webhooks`: what was sent to the receivers of tenants, again and for a trial. */

import { type Command, Option } from 'commander';
import type { DeliveryState } from '../webhooks/archive.ts';
import { countFromOne, portNumber } from './option-values.ts';
import type { ListOptions } from './webhooks/list.ts';
import type { ListenOptions } from './webhooks/listen.ts';
import type { WebhookOptions } from './webhooks/options.ts';
import type { ReplayOptions } from './webhooks/replay.ts';
import { withLocalOptions } from './with-local-options.ts';

export function registerWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('List, repeat and try out the messages to the receivers of tenants.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics webhooks test --tenant acme
  $ forensics webhooks list --tenant acme --state given_up`,
    );
  describeList(common(webhooks.command('list')));
  describeReplay(common(webhooks.command('replay')));
  describeTest(common(webhooks.command('test')));
  describeListen(webhooks.command('listen'));
}

const states = ['waiting', 'delivered', 'given_up'] as const satisfies readonly DeliveryState[];

function describeList(command: Command): void {
  command
    .description('List the messages of a tenant, newest first; settled ones for 30 days.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(states))
    .addOption(new Option('--limit <n>', 'at most so many').argParser(countFromOne).default(100))
    .addHelpText(
      'after',
      `
Examples:
  $ forensics webhooks list --tenant acme
  $ forensics webhooks list --tenant acme --state waiting --json`,
    )
    .action(async (_own: unknown, called: Command) => {
      const { list } = await import('./webhooks/list.ts');
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
turn first. A receiver tells a repetition by its "webhook-id".

Examples:
  $ forensics webhooks replay msg_65f000000000000000000001 --tenant acme
  $ forensics webhooks replay --given-up --tenant acme`,
    )
    .action(async (id: string | undefined, _own: unknown, called: Command) => {
      const { replay } = await import('./webhooks/replay.ts');
      await replay(id, called.optsWithGlobals<ReplayOptions>());
    });
}

function describeTest(command: Command): void {
  command
    .description('Send one signed test message now, and tell what the receiver answered.')
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
      const { test } = await import('./webhooks/test.ts');
      await test(called.optsWithGlobals<WebhookOptions>());
    });
}

function describeListen(command: Command): void {
  command
    .description('Receive messages on this machine and print them, to try webhooks out.')
    .addOption(
      new Option('--port <n>', 'where to listen on 127.0.0.1; 0 for any free port')
        .argParser(portNumber)
        .default(0),
    )
    .option(
      '--secret-file <file>',
      'what "tenant webhook-secret" prints, "-" for standard input; signatures are checked',
    )
    .option('--json', 'print a line of JSON a message, the address first', false)
    .addHelpText(
      'after',
      `
Answers 204, and 401 where a signature is checked and not valid. Ctrl-C ends it. The server sends to this machine only
when webhookAllow has 127.0.0.0/8.

Examples:
  $ forensics webhooks listen --port 9000
  $ forensics tenant webhook-secret acme | forensics webhooks listen --secret-file -`,
    )
    .action(async (_own: unknown, called: Command) => {
      const { listen } = await import('./webhooks/listen.ts');
      await listen(called.optsWithGlobals<ListenOptions>());
    });
}

function common(command: Command): Command {
  return withLocalOptions(command.requiredOption('--tenant <name>', 'the tenant'));
}
