/** Commander's command, with two more methods. */

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

  /** Adds examples after the options in its help. @param ends - what follows its own name. */
  examples(...ends: readonly string[]): this {
    const lines = ends.map((end) => `  $ ${this.path()} ${end}`.trimEnd());
    return this.helpAfter(['', 'Examples:', ...lines].join('\n'));
  }

  /** Its name after those of the commands above: `forensics keys rotate`. */
  private path(): string {
    return this.parent === null ? this.name() : `${this.parent.path()} ${this.name()}`;
  }
}
