/** `forensics feedback`: reads what people sent to the team through the service on this machine. */

import {
  type FeedbackEntry,
  getFeedback,
  listFeedback,
  plainText,
} from '../../service/feedback/feedback.ts';
import { withLocalCore } from '../connection/local.ts';
import { type Command, countFromOne, type LocalOptions } from '../options.ts';
import { printList } from '../output/layout.ts';
import { print, printable, printJson } from '../output/terminal.ts';

export function defineFeedback(feedback: Command): void {
  feedback.examples('list', 'show 65f000000000000000000001');
  feedback
    .localCommand('list', 'List feedback, newest first.')
    .examples('', '--limit 10 --json')
    .option('--limit <n>', 'at most this many', countFromOne, 100)
    .action(list);
  feedback
    .localCommand('show', 'Show one message and how its delivery went.')
    .examples('65f000000000000000000001', '65f000000000000000000001 --json')
    .argument('<id>', 'the id of the feedback, from "feedback list"')
    .action(show);
}

async function list(options: LocalOptions & { readonly limit: number }): Promise<void> {
  const entries = await withLocalCore(options, async ({ database }) =>
    listFeedback(database.db, options.limit),
  );
  printList(
    entries,
    {
      id: ({ id }) => id,
      received: ({ createdAt }) => createdAt.toISOString().slice(0, 10),
      tenant: ({ tenantName }) => tenantName,
      from: ({ message }) => message.email,
      delivery: deliveryState,
    },
    { ...options, none: 'There is no feedback.' },
  );
}

async function show(id: string, options: LocalOptions): Promise<void> {
  const entry = await withLocalCore(options, async ({ database }) => getFeedback(database.db, id));
  if (options.json) return printJson(entry);
  for (const line of plainText(entry).split('\n')) print(printable(line));
  print(`Delivery: ${printable(deliveryState(entry))}`);
}

function deliveryState({ outcomes }: FeedbackEntry): string {
  const states = Object.entries(outcomes).map(
    ([channel, { state, detail }]) =>
      `${channel} ${state.replace('_', ' ')}${detail === null ? '' : ` (${detail})`}`,
  );
  return states.length === 0 ? 'kept only' : states.join(', ');
}
