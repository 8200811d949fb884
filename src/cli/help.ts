/** `forensics help keys rotate`: also for commands of commands, and with a word about misspelt ones. */

import type { Command } from 'commander';
import { nearWord } from './near-word.ts';

export function registerHelp(program: Command): void {
  program
    .command('help')
    .description('Print the help of a command.')
    .argument('[command...]', 'the command, and the one below it')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics help analyze
  $ forensics help keys rotate`,
    )
    .action((names: readonly string[]) => {
      names.reduce(commandBelow, program).help();
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
