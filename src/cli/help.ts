/** `forensics help keys rotate` prints the help of a command, `forensics help TOPIC` a page of the manual. */

import type { Command } from 'commander';
import wrapAnsi from 'wrap-ansi';
import { columnsOf } from './output/terminal.ts';
import { isTopic, topicList, topics, topicText } from './topics.ts';

/** @param complete - loads the options and verbs of a command of the program. */
export function defineHelp(help: Command, complete: (command: Command) => Promise<void>): void {
  help
    .argument('[command...]', 'a command and the one below it, or a topic of the manual')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics help analyze
  $ forensics help keys rotate
  $ forensics help methods`,
    )
    .action(async (names: readonly string[]) => {
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
    });
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

/** What a file or a pipe gets, where no width is known. */
const plainColumns = 80;
/** Longer lines are hard to read. */
const maxColumns = 100;
/** Below, every word would stand alone. */
const minColumns = 40;

export function helpWidth(): number {
  const columns = columnsOf(process.stdout);
  if (!Number.isFinite(columns)) return plainColumns;
  return Math.max(minColumns, Math.min(columns, maxColumns));
}

/**
 * Paragraphs are the runs of lines that begin at the margin; each is wrapped anew. What is indented stays as it stands:
 * options are laid out already, and an example is copied as a whole.
 */
export function layHelp(text: string, columns: number): string {
  const laid: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) laid.push(wrapAnsi(paragraph.join(' '), columns));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
    } else {
      flush();
      laid.push(line);
    }
  }
  flush();
  return laid.join('\n');
}
