import { Command as PlainCommand } from 'commander';

/** A command that may have text after the options in its help. */
export class Command extends PlainCommand {
  declare readonly commands: readonly Command[];
  declare parent: Command | null;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  helpAfter(text: string): this {
    return this.addHelpText('after', text);
  }
}
