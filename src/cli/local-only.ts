/** Acts of the operator, for which `/v1` has no operation. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { withLocalOptions } from './with-local-options.ts';

/** The options of such a command; whoever names a server learns where to go instead of that there is no such option. */
export function withLocalOnlyOptions(command: Command): Command {
  withLocalOptions(command);
  for (const flags of ['--url <url>', '--profile <name>']) {
    command.addOption(new Option(flags).hideHelp().argParser(refuse));
  }
  return command;
}

function refuse(): never {
  throw new InvalidArgumentError(
    'A server does not offer this to anybody; run the command on its own machine, with --data-dir.',
  );
}
