/** What the program knows of the terminal it talks to: width, colours, whether anybody is watching. */

import { rmSync } from 'node:fs';
import { styleText } from 'node:util';
import type { Ora } from 'ora';
import { exitCodes } from '../../errors.ts';
import { toOutputFailure } from '../../ports/files/system-errors.ts';
import { printFailure } from '../errors.ts';
import { switches } from './print.ts';

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

let isHeard = false;
let isOutlived = false;

/**
 * `forensics ... | head` closes the pipe early: that is no failure, and there is no reader left to report one to. A file that
 * takes no more is one.
 */
export function endOnBrokenOutput(): void {
  isOutlived = false;
  if (isHeard) return;
  isHeard = true;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isOutlived) return;
    if (error.code === 'EPIPE') process.exit();
    process.exit(printFailure(toOutputFailure(error), { verbose: switches().verbose }));
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (isOutlived) return;
    process.exit(error.code === 'EPIPE' ? undefined : exitCodes.failure);
  });
}

/** For a server and a worker, until the next command: their work goes on when nobody reads what they print. */
export function outliveBrokenOutput(): void {
  isOutlived = true;
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
