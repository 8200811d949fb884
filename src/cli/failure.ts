/** How a failure is told: one line on stderr, `forensics: <message>`, and the exit code of the error table. */

import { type ExitCode, ForensicsError, toForensicsError } from '../errors.ts';
import { causeOf } from './cause.ts';
import { nearWord } from './near-word.ts';
import { printable } from './printable.ts';

/** Prints the one line; with `verbose` also where it came from. Without it, a failure of our own points there. */
export function tellFailure(error: unknown, { verbose }: { verbose: boolean }): ExitCode {
  const failure = toForensicsError(error);
  const isOurs = failure.code === 'internal';
  const hint = isOurs && !verbose ? ' Run again with --verbose to see the cause.' : '';
  process.stderr.write(`forensics: ${printable(failure.message)}${hint}\n`);
  if (verbose) process.stderr.write(`${causeOf(failure)}\n`);
  return failure.exitCode;
}

/** The same for one of several files, which does not end the run. */
export function tellFileFailure(
  file: string,
  failure: ForensicsError,
  { verbose }: { verbose: boolean },
): void {
  process.stderr.write(`forensics: ${printable(file)}: ${printable(failure.message)}\n`);
  if (verbose) process.stderr.write(`${causeOf(failure)}\n`);
}

interface Called {
  readonly argv: readonly string[];
  /** The command that was called, such as `keys list`; empty for none. */
  readonly command: string;
  readonly write: (text: string) => void;
}

/** Commander's own complaints (`error: unknown option '--sed'\n(Did you mean --seed?)`) as one line of ours. */
export function tellUsage(text: string, { argv, command, write }: Called): void {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  const told = toldOfServer(line) ?? `${line}${misspeltHint(line, argv)}`;
  write(`forensics: ${printable(`${told}${helpHint(told, command)}`)}\n`);
}

/** Where nothing tells what was meant, the help does. */
function helpHint(line: string, command: string): string {
  const isOpen = /^(missing|required|unknown|too many) [^.(]*$/.test(
    line.replaceAll(/'[^']*'/g, ''),
  );
  return isOpen ? `; see "forensics ${command === '' ? '' : `${command} `}--help"` : '';
}

/** A required option that is misspelt is missed by commander before it notices the one it does not know. */
function misspeltHint(line: string, argv: readonly string[]): string {
  const missing = /^required option '.*?(?<flag>--[a-z-]+)/.exec(line)?.groups?.['flag'];
  if (missing === undefined) return '';
  const given = argv.map((word) => word.split('=', 1)[0]!).filter((word) => word.startsWith('--'));
  const misspelt = given.find((word) => nearWord(word, [missing]) !== undefined);
  return misspelt === undefined ? '' : ` (Did you mean it by ${misspelt}?)`;
}

/** Whoever means a server may not know that this act has no way there. Null for any other complaint. */
function toldOfServer(line: string): string | null {
  const unknown = /^unknown option '--(url|profile|ca|fingerprint|api-key-file)'/.exec(line)?.[0];
  return unknown === undefined
    ? null
    : `${unknown}. This acts on the data folder of the machine that it runs on; run it on the machine of the server.`;
}

export function usageError(message: string): ForensicsError {
  return new ForensicsError('usage', message);
}
