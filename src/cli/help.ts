/** `forensics help keys rotate` prints the help of a command, `forensics help TOPIC` a page of the manual. */

import type { Command } from 'commander';
import { helpWidth } from './output/terminal.ts';
import { isTopic, topicList, topics, topicText } from './topics.ts';

/**
 * @param help - the command of that name.
 * @param complete - loads the options and verbs of a command of the program.
 */
export async function printHelp(
  help: Command,
  names: readonly string[],
  complete: (command: Command) => Promise<void>,
): Promise<void> {
  const [first] = names;
  if (first !== undefined && isTopic(first)) {
    process.stdout.write(topicText(first, helpWidth()));
    return;
  }
  if (first === undefined) help.parent!.addHelpText('after', `\n${topicList()}`);
  let command = help.parent!;
  for (const name of names) {
    command = commandBelow(command, name);
    // oxlint-disable-next-line no-await-in-loop -- what stands below it is known only then
    await complete(command);
  }
  command.help();
}

function commandBelow(command: Command, name: string): Command {
  const below = command.commands.find((each) => each.name() === name);
  if (below !== undefined) return below;
  const known = Object.keys(topics).join(', ');
  return command.error(
    command.parent === null
      ? `error: '${name}' is neither a command nor a topic; topics are ${known}`
      : `error: unknown command '${name}'`,
  );
}
