/** `forensics help keys rotate`: also for commands of commands, and with a word about misspelt ones. */

import type { Command } from 'commander';
import { nearWord } from './errors.ts';
import { wrap } from './output/table.ts';
import { columnsOf } from './output/terminal.ts';

/** @param complete - loads the options and verbs of a command of the program. */
export function defineHelp(help: Command, complete: (command: Command) => Promise<void>): void {
  help
    .argument('[command...]', 'the command, and the one below it')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics help analyze
  $ forensics help keys rotate`,
    )
    .action(async (names: readonly string[]) => {
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
  const meant = nearWord(
    name,
    command.commands.map((each) => each.name()),
  );
  const hint = meant === undefined ? '' : ` (Did you mean ${meant}?)`;
  return command.error(`error: unknown command '${name}'${hint}`);
}

// Help laid out for the terminal that shows it.

/** What a file or a pipe gets, where nobody tells a width. */
const plainColumns = 80;
/** Longer lines are hard to read. */
const mostColumns = 100;
/** Below, every word would stand alone. */
const leastColumns = 40;

export function helpWidth(): number {
  const columns = columnsOf(process.stdout);
  if (!Number.isFinite(columns)) return plainColumns;
  return Math.max(leastColumns, Math.min(columns, mostColumns));
}

/**
 * Paragraphs are the runs of lines that begin at the margin; each is wrapped anew. What is indented stays as it stands:
 * options are laid out already, and an example is copied as a whole.
 */
export function layHelp(text: string, columns: number): string {
  const laid: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) laid.push(...wrap(paragraph.join(' '), columns));
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
