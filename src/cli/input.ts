/** Reads a command's input: files, standard input, and answers at the terminal. Prompt only when `canAsk`. */

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ForensicsError } from '../errors.ts';
import { systemCodeOf } from '../ports/files/files.ts';
import { usageError } from './errors.ts';
import { switches } from './output/terminal.ts';

/** Reads a file, or standard input for `-`. @throws {ForensicsError} `file_not_found`, `file_not_readable`. */
export async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
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

/**
 * Confirms a large deletion by having the user type the name; a script passes `--yes` instead.
 *
 * @throws {ForensicsError} `usage` without a terminal, `cancelled` as above.
 */
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
