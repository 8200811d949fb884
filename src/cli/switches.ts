/** The switches that every command understands, wherever they stand on its line. */

import { type Command, Option } from 'commander';

export interface Switches {
  /** Nothing on standard error but failures. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** False: never ask. */
  readonly input: boolean;
}

const none: Switches = { quiet: false, verbose: false, input: true };

let given = none;

/** Declares them, and obeys what is given from before the command acts until the next program is made. */
export function withSwitches(program: Command): Command {
  given = none;
  return program
    .addOption(
      new Option('-q, --quiet', 'nothing on stderr but failures')
        .conflicts('verbose')
        .default(false),
    )
    .option('--verbose', 'tell more on stderr, with the cause of a failure')
    .option('--no-color', 'print without colours, as with NO_COLOR')
    .option('--no-input', 'never ask; what would have to be asked fails')
    .hook('preAction', () => {
      given = { ...none, ...program.opts<Partial<Switches>>() };
    });
}

export function switches(): Switches {
  return given;
}
