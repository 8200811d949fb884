/** `forensics feedback`: what people told the team through the service on this machine. */

import { type Command, Option } from 'commander';
import type { FeedbackEntry } from '../feedback/archive.ts';
import type { LocalOptions } from './local-core.ts';
import { countFromOne } from './option-values.ts';
import { print, printJson, say } from './talk.ts';
import { withLocalOptions } from './with-local-options.ts';

interface FeedbackOptions extends LocalOptions {
  readonly json: boolean;
}

interface ListOptions extends FeedbackOptions {
  readonly limit: number;
}

export function registerFeedback(program: Command): void {
  const feedback = program
    .command('feedback')
    .description('Read what users sent as feedback.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics feedback list
  $ forensics feedback show 65f000000000000000000001`,
    );
  withLocalOptions(feedback.command('list').description('List feedback, newest first.'))
    .addOption(new Option('--limit <n>', 'at most so many').argParser(countFromOne).default(100))
    .action(async (_own: unknown, command: Command) => {
      await list(command.optsWithGlobals<ListOptions>());
    });
  withLocalOptions(
    feedback.command('show').description('Show one message and how its delivery went.'),
  )
    .argument('<id>', 'the feedback, as "feedback list" names it')
    .action(async (id: string, _own: unknown, command: Command) => {
      await show(id, command.optsWithGlobals<FeedbackOptions>());
    });
}

async function list(options: ListOptions): Promise<void> {
  const { withLocalCore } = await import('./local-core.ts');
  const { listFeedback } = await import('../feedback/archive.ts');
  const { listTable } = await import('./list-table.ts');
  const entries = await withLocalCore(options, async ({ database }) =>
    listFeedback(database.db, options.limit),
  );
  if (options.json) return printJson(entries);
  if (entries.length === 0) return say('There is no feedback.');
  const rows = entries.map((entry) => {
    const { id, createdAt, tenantName, message } = entry;
    return [id, createdAt.toISOString().slice(0, 10), tenantName, message.email, stateOf(entry)];
  });
  print(listTable(['id', 'received', 'tenant', 'from', 'delivery'], rows));
}

async function show(id: string, options: FeedbackOptions): Promise<void> {
  const { withLocalCore } = await import('./local-core.ts');
  const { getFeedback } = await import('../feedback/archive.ts');
  const { plainText } = await import('../feedback/message.ts');
  const { printable } = await import('./printable.ts');
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
