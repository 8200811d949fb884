import type { Command } from 'commander';

/** The options of a command that acts on the data folder of this machine: see `LocalOptions` of `local-core.ts`. */
export function withLocalOptions(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
}
