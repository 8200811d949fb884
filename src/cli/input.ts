/** What a command reads: files and standard input, and answers of the person at the terminal. */

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ForensicsError } from '../errors.ts';
import { systemCodeOf } from '../ports/files/system-errors.ts';
import { usageError } from './errors.ts';
import { switches } from './output/terminal.ts';

/**
 * What a file holds, or standard input for `-`. Secrets come so, never from flags: those are seen by everybody on the
 * machine.
 *
 * @throws {ForensicsError} `file_not_found`, `file_not_readable`.
 */
export async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT';
    throw new ForensicsError(
      isMissing ? 'file_not_found' : 'file_not_readable',
      `The file ${file} ${isMissing ? 'does not exist' : 'cannot be read'}.`,
      { cause: error },
    );
  }
}

/** A password: files and pipes end it with a line break that is not part of it. @throws as `readText`. */
export async function firstLineOf(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n[^]*$/, '');
}

interface LineQuestion {
  readonly message: string;
  /** What is wrong with an answer; null when nothing is. The question is repeated until then. */
  readonly fault?: (answer: string) => string | null;
}

/** @throws {ForensicsError} `cancelled` when the person ends it with Ctrl-C or Ctrl-D. */
export async function askLine({ message, fault }: LineQuestion): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  const answer = await untilLeft(async (how) =>
    input(
      {
        message,
        validate: (typed) => fault?.(typed.trim()) ?? true,
      },
      how,
    ),
  );
  return answer.trim();
}

interface How {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

async function untilLeft<T>(ask: (how: How) => Promise<T>): Promise<T> {
  const left = new AbortController();
  // Ctrl-D closes the line, and the package would wait for an answer for ever.
  const onKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key.ctrl === true && key.name === 'd') left.abort();
  };
  person.input.on('keypress', onKey);
  try {
    return await ask({ output: person.output, signal: left.signal });
  } catch (error) {
    const isLeft = error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name);
    throw isLeft ? new ForensicsError('cancelled', 'Cancelled.', { cause: error }) : error;
  } finally {
    person.input.off('keypress', onKey);
  }
}

/**
 * Asks a question without echoing the answer.
 *
 * @throws {ForensicsError} `cancelled` when the person ends it with Ctrl-C or Ctrl-D.
 */
export async function askHidden(
  question: string,
  { input, output }: Streams = person,
): Promise<string> {
  // readline edits the line as always, but draws it into nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  output.write(question);
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines.once('line', resolve).once('SIGINT', cancel).once('close', cancel);
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}

/** Questions go to standard error, so that results can be piped. */
interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

export const person: Streams = { input: process.stdin, output: process.stderr };

/** Whether a question can be asked: not with `--no-input`, nor with a pipe on either side. */
export function canAsk({ input, output }: Streams = person): boolean {
  return switches().input && input.isTTY === true && output.isTTY === true;
}

/**
 * Asks for confirmation before an act that cannot be undone; a script passes `--yes` instead. False for any answer but
 * y and yes; Enter alone means no.
 *
 * @throws {ForensicsError} `usage` where there is no terminal, `cancelled` when the person ends it with Ctrl-C or
 * Ctrl-D.
 */
export async function confirm(question: string, { input, output } = person): Promise<boolean> {
  if (!canAsk({ input, output }))
    throw usageError(`${question} Add --yes to confirm it in a script.`);
  return /^\s*y(es)?\s*$/i.test(await answerTo(`${question} [y/N] `, { input, output }));
}

/** The same, but a script goes ahead without a question. */
export async function agreed(
  question: string,
  { yes }: { readonly yes: boolean },
  streams = person,
): Promise<boolean> {
  return yes || !canAsk(streams) || confirm(question, streams);
}

/** The same, for an act that deletes much: the person has to type the name. @throws as `confirm`. */
export async function confirmByName(
  question: string,
  name: string,
  streams = person,
): Promise<boolean> {
  if (!canAsk(streams)) throw usageError(`${question} Add --yes to confirm it in a script.`);
  return (await answerTo(`${question} Type its name to confirm: `, streams)).trim() === name;
}

async function answerTo(question: string, { input, output }: Streams): Promise<string> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines.once('close', cancel).question(question, resolve);
    });
  } finally {
    lines.close();
  }
}
