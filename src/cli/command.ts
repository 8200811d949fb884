/** Commander's command, with one more method. */

import { Command as PlainCommand } from 'commander';

export class Command extends PlainCommand {
  declare readonly commands: readonly Command[];
  declare parent: Command | null;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds text after the options in its help. */
  helpAfter(text: string): this {
    return this.addHelpText('after', text);
  }
}
