/** The switches that every command understands, wherever they stand on its line. */

import { type Command, Option } from 'commander';

interface Switches {
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
      new Option('-q, --quiet', 'print only failures on stderr')
        .conflicts('verbose')
        .default(false),
    )
    .option('--verbose', 'print more on stderr, including the cause of a failure')
    .option('--no-color', 'print without colours (or NO_COLOR)')
    .option('--no-input', 'never prompt; fail where input is required')
    .hook('preAction', () => {
      given = { ...none, ...program.opts<Partial<Switches>>() };
    });
}

export function switches(): Switches {
  return given;
}

/** Logs to standard error; results go to standard output, so that they can be piped. Nothing with `--quiet`. */
export function log(text: string): void {
  if (switches().quiet) return;
  process.stderr.write(`${printable(text)}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/**
 * Makes text from outside (file names, messages about them) safe for a terminal: control and direction-changing
 * characters are printed as escapes. A file name could otherwise move the cursor, recolour a verdict or display itself
 * backwards.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** One word of a command line that is shown to be copied, for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
