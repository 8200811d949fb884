/** What is printed, and what the program knows of the terminal it prints to: width, colours, whether a person is watching. */

import { type Command, Option } from 'commander';
import { rmSync } from 'node:fs';
import { styleText } from 'node:util';
import type { Ora } from 'ora';

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

export type Style = Parameters<typeof styleText>[0];

/** Colours for a stream, or plain text where the stream or the user wants none (`NO_COLOR`, `--no-color`, a pipe). */
export function paint(stream: NodeJS.WriteStream): (style: Style, text: string) => string {
  return (style, text) => styleText(style, text, { stream });
}

/**
 * Columns that a line on stdout may take: the terminal's, else `COLUMNS`, else no limit. A file or a pipe
 * must get whole names, a terminal must not be made to wrap.
 */
export function columnsOf(stream: NodeJS.WriteStream): number {
  if (stream.isTTY && stream.columns > 0) return stream.columns;
  const declared = Number(process.env['COLUMNS']);
  return Number.isInteger(declared) && declared > 0 ? declared : Number.POSITIVE_INFINITY;
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

/** Whether a line may be drawn over and over: not for a log of CI, nor on a terminal that cannot, or reports no columns. */
export function canAnimate(stream: NodeJS.WriteStream): boolean {
  const { CI = '', TERM = '' } = process.env;
  return stream.isTTY && stream.columns > 0 && TERM !== 'dumb' && /^(|0|false)$/i.test(CI);
}

/** Has to run before any package that colours is loaded: they read the environment once. */
export function obeyNoColor(argv: readonly string[]): void {
  if (!argv.includes('--no-color')) return;
  process.env['NO_COLOR'] = '1';
  delete process.env['FORCE_COLOR'];
}

/** A line on stderr that moves; only for a terminal that `canAnimate`. */
export async function startSpinner(text = ''): Promise<Ora> {
  const { default: ora } = await import('ora');
  const { stderr: stream } = process;
  // The package colours by rules of its own, and NO_COLOR is not among them.
  const color = stream.hasColors() ? 'cyan' : false;
  // Without discarding: Ctrl-C has to stay a signal, and `-` has to be able to read standard input.
  return ora({ text, stream, color, discardStdin: false }).start();
}

/** Temporary files to remove when the program exits, also when the reader of its output closes the pipe early. */
const paths = new Set<string>();

/** @returns how to forget `path` again, once it is gone or in its place. */
export function removeAtExit(path: string): () => void {
  // Once for all of them: a listener each would be too many.
  if (paths.size === 0) process.once('exit', removeAll);
  paths.add(path);
  return () => {
    paths.delete(path);
    if (paths.size === 0) process.off('exit', removeAll);
  };
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
