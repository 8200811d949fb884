/** The terminal: what is printed and asked there, its width, its colours, and whether a person is watching. */

import { type Command, Option } from 'commander';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text as readAsText } from 'node:stream/consumers';
import { styleText } from 'node:util';
import type { Ora } from 'ora';
import { ForensicsError, type ExitCode, exitCodes, usageError } from '../../contract/errors.ts';
import { systemCodeOf, toOutputFailure } from '../../ports/files/files.ts';
import { withoutControls } from '../../present/text.ts';

interface Switches {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** If false, the command never prompts. */
  readonly input: boolean;
}

const none: Switches = { quiet: false, verbose: false, input: true };
let given = none;

/** Declares the options common to all commands. They apply once a command runs, until the next program is created. */
export function withSwitches<Program extends Command>(program: Program): Program {
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

/** Prints to standard error, and nothing with `--quiet`. Results go to standard output, so that they can be piped. */
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

/** Otherwise a file name could move the cursor or change the colour of a verdict. */
export const printable = withoutControls;

/** Quotes one word of a command line for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export type Style = Parameters<typeof styleText>[0];

/** Colours text for a stream, unless the stream does not support colours or the user has switched them off. */
export function paint(stream: NodeJS.WriteStream): (style: Style, text: string) => string {
  return (style, text) => styleText(style, text, { stream });
}

/** Line width: the terminal's, otherwise `COLUMNS`, otherwise unlimited, so that a file or pipe gets full names. */
export function lineWidth(stream: NodeJS.WriteStream): number {
  if (stream.isTTY && stream.columns > 0) return stream.columns;
  const declared = Number(process.env['COLUMNS']);
  return Number.isInteger(declared) && declared > 0 ? declared : Number.POSITIVE_INFINITY;
}

/** Used for a file or pipe, whose width is unknown. */
const plainColumns = 80;
const maxColumns = 100;
const minColumns = 40;

export function helpWidth(): number {
  const columns = lineWidth(process.stdout);
  if (!Number.isFinite(columns)) return plainColumns;
  return Math.max(minColumns, Math.min(columns, maxColumns));
}

/** Whether a line can be redrawn: false in a CI log, and on a terminal that lacks this ability or reports no width. */
export function canAnimate(stream: NodeJS.WriteStream): boolean {
  const { CI = '', TERM = '' } = process.env;
  return stream.isTTY && stream.columns > 0 && TERM !== 'dumb' && /^(|0|false)$/i.test(CI);
}

/** Must run before any package that uses colours is loaded, because these read the environment only once. */
export function obeyNoColor(argv: readonly string[]): void {
  if (!argv.includes('--no-color')) return;
  process.env['NO_COLOR'] = '1';
  delete process.env['FORCE_COLOR'];
}

let isListening = false;
let isIgnored = false;

/** A pipe closed early is no failure, an unwritable file is. @param report - prints it, returns the exit code. */
export function exitOnBrokenOutput(report: (error: unknown) => ExitCode): void {
  isIgnored = false;
  if (isListening) return;
  isListening = true;
  const exitBy = (exitCode: (error: Error) => ExitCode) => (error: NodeJS.ErrnoException) => {
    if (!isIgnored) process.exit(error.code === 'EPIPE' ? undefined : exitCode(error));
  };
  process.stdout.on(
    'error',
    exitBy((error) => report(toOutputFailure(error))),
  );
  process.stderr.on(
    'error',
    exitBy(() => exitCodes.failure),
  );
}

/** Lets servers and workers continue when nobody reads their output; applies until the next command. */
export function ignoreBrokenOutput(): void {
  isIgnored = true;
}

/** Starts an animated line on stderr; call it only if `canAnimate`. */
export async function startSpinner(text = ''): Promise<Ora> {
  const { default: ora } = await import('ora');
  const { stderr: stream } = process;
  // The package does not respect NO_COLOR.
  const color = stream.hasColors() ? 'cyan' : false;
  // Standard input is not discarded, because Ctrl-C must remain a signal, and `-` reads from it.
  return ora({ text, stream, color, discardStdin: false }).start();
}

/** Temporary files to remove when the program exits, even if it exits early because a pipe was closed. */
const paths = new Set<string>();

/** @returns a function that cancels the removal, for when the file is gone or renamed. */
export function removeAtExit(path: string): () => void {
  // One listener handles all paths.
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

// What a command reads: files, standard input, and answers at the terminal. Prompt only when `canAsk`.

/** Reads a file, or standard input for `-`. @throws {ForensicsError} `file_not_found`, `file_not_readable`. */
export async function readText(file: string): Promise<string> {
  if (file === '-') return readAsText(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const [code, what] =
      systemCodeOf(error) === 'ENOENT'
        ? (['file_not_found', 'does not exist'] as const)
        : (['file_not_readable', 'cannot be read'] as const);
    throw new ForensicsError(code, `The file ${file} ${what}.`, { cause: error });
  }
}

/** Reads a password: the line break at the end of a file or pipe is not part of it. @throws as `readText`. */
export async function readFirstLine(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n[^]*$/, '');
}

/** Asks a question without echoing the answer. @throws {ForensicsError} `cancelled` on Ctrl-C or Ctrl-D. */
export async function askHidden(question: string, streams: Streams = person): Promise<string> {
  try {
    return await answerTo(question, streams, { isHidden: true });
  } finally {
    streams.output.write('\n');
  }
}

/** Questions go to standard error, so that results can be piped. */
interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

export const person: Streams = { input: process.stdin, output: process.stderr };

/** Whether a person can be asked: false with `--no-input`, or if input or output is a pipe. */
export function canAsk({ input, output }: Streams = person): boolean {
  return switches().input && input.isTTY === true && output.isTTY === true;
}

/**
 * Asks a person for confirmation of something that cannot be undone; a script continues without it. Anything but y or
 * yes, including Enter alone, means no.
 *
 * @throws {ForensicsError} `cancelled` on Ctrl-C or Ctrl-D.
 */
export async function agreed(
  question: string,
  { yes }: { readonly yes: boolean },
  streams = person,
): Promise<boolean> {
  if (yes || !canAsk(streams)) return true;
  return /^\s*y(es)?\s*$/i.test(await answerTo(`${question} [y/N] `, streams));
}

/** Asks a question with yes as the default. Call it only when `canAsk`. @throws {ForensicsError} `cancelled`. */
export async function agreedByDefault(question: string, streams = person): Promise<boolean> {
  return !/^\s*no?\s*$/i.test(await answerTo(`${question} [Y/n] `, streams));
}

/** The user types the name; a script passes `--yes`. @throws {ForensicsError} `usage` off a terminal, `cancelled`. */
export async function confirmByName(
  question: string,
  name: string,
  streams = person,
): Promise<boolean> {
  if (!canAsk(streams)) throw usageError(`${question} Add --yes to confirm it in a script.`);
  return (await answerTo(`${question} Type its name to confirm: `, streams)).trim() === name;
}

async function answerTo(
  question: string,
  { input, output }: Streams,
  { isHidden = false } = {},
): Promise<string> {
  // readline edits a hidden line as usual, but its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = isHidden
    ? createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
    : createInterface({ input, output });
  if (isHidden) output.write(question);
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines
        .once('SIGINT', cancel)
        .once('close', cancel)
        .question(isHidden ? '' : question, resolve);
    });
  } finally {
    lines.close();
  }
}
