/** `forensics feedback`: the messages that people sent to the team through the service on this machine. */

import { type Command, Option } from 'commander';
import { type FeedbackEntry, getFeedback, listFeedback } from '../../service/feedback/feedback.ts';
import { plainText } from '../../service/feedback/message.ts';
import { countFromOne, examples, type LocalOptions, withLocalOptions } from '../options.ts';
import { log, print, printable, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { withLocalCore } from '../connection/local.ts';

interface FeedbackOptions extends LocalOptions {
  readonly json: boolean;
}

interface ListOptions extends FeedbackOptions {
  readonly limit: number;
}

export function defineFeedback(feedback: Command): void {
  feedback.addHelpText(
    'after',
    `
Examples:
  $ forensics feedback list
  $ forensics feedback show 65f000000000000000000001`,
  );
  withLocalOptions(
    feedback
      .command('list')
      .description('List feedback, newest first.')
      .addHelpText('after', examples('feedback list', 'feedback list --limit 10 --json')),
  )
    .addOption(new Option('--limit <n>', 'at most this many').argParser(countFromOne).default(100))
    .action(async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<ListOptions>());
    });
  withLocalOptions(
    feedback
      .command('show')
      .description('Show one message and how its delivery went.')
      .addHelpText(
        'after',
        examples(
          'feedback show 65f000000000000000000001',
          'feedback show 65f000000000000000000001 --json',
        ),
      ),
  )
    .argument('<id>', 'the feedback, as "feedback list" names it')
    .action(async (id: string, _own: unknown, command: Command) => {
      await show(id, command.optsWithGlobals<FeedbackOptions>());
    });
}

async function list(options: ListOptions): Promise<void> {
  const entries = await withLocalCore(options, async ({ database }) =>
    listFeedback(database.db, options.limit),
  );
  if (options.json) return printJson(entries);
  if (entries.length === 0) return log('There is no feedback.');
  const rows = entries.map((entry) => {
    const { id, createdAt, tenantName, message } = entry;
    return [id, createdAt.toISOString().slice(0, 10), tenantName, message.email, stateOf(entry)];
  });
  print(listTable(['id', 'received', 'tenant', 'from', 'delivery'], rows));
}

async function show(id: string, options: FeedbackOptions): Promise<void> {
  const entry = await withLocalCore(options, async ({ database }) => getFeedback(database.db, id));
  if (options.json) return printJson(entry);
  for (const line of plainText(entry).split('\n')) print(printable(line));
  print(`Delivery: ${printable(stateOf(entry))}`);
}

function stateOf({ outcomes }: FeedbackEntry): string {
  const states = Object.entries(outcomes).map(
    ([channel, { state, detail }]) =>
      `${channel} ${state.replace('_', ' ')}${detail === null ? '' : ` (${detail})`}`,
  );
  return states.length === 0 ? 'kept only' : states.join(', ');
}
