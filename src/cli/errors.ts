/** How a failure is told: one line on stderr, `forensics: <message>`, and the exit code of the error table. */

import { type ExitCode, ForensicsError, toForensicsError } from '../errors.ts';
import { printable } from './output/print.ts';

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

// Where a failure came from, for whoever asked with `--verbose`: names, messages and stacks, and no secret.

const deepest = 8;

/** Properties of foreign errors are left out: among them are requests with their headers, and commands of protocols. */
export function causeOf(failure: Error): string {
  const parts: string[] = [];
  let at: unknown = failure;
  while (at instanceof Error && parts.length < deepest) {
    const code = 'code' in at && typeof at.code === 'string' ? ` [${at.code}]` : '';
    const text = at.stack ?? `${at.name}: ${at.message}`;
    const [first = '', ...rest] = text.split('\n');
    parts.push([`${parts.length === 0 ? '' : 'caused by: '}${first}${code}`, ...rest].join('\n'));
    at = at.cause;
  }
  return withoutSecrets(parts.join('\n'));
}

const secrets: readonly (readonly [RegExp, string])[] = [
  // Ours: API keys, secrets of webhooks.
  [/\bsk-[a-z0-9]+-[0-9A-Za-z]+/g, 'sk-***'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, 'whsec_***'],
  // Tokens (RFC 7519), and whatever stands in an Authorization header.
  [/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '***'],
  [/\b(ApiKey|Basic|Bearer)\s+[^\s'",]+/gi, '$1 ***'],
  // Addresses: a password before the host, and what signs a request behind the path.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@'],
  [/(\bhttps?:\/\/[^\s?'"]+)\?[^\s'")]+/gi, '$1?***'],
];

function withoutSecrets(text: string): string {
  return secrets.reduce((masked, [pattern, shown]) => masked.replaceAll(pattern, shown), text);
}

// What somebody may have meant who wrote a word that we do not know. */
//
// /** As many slips are taken for one word misspelt; more make another word.

const maxSlips = 2;

/** The word that is closest to `word`, when only a slip or two part them; the first of several. */
export function nearWord(word: string, known: readonly string[]): string | undefined {
  const byDistance = known
    .map((each) => ({ each, slips: slipsBetween(word, each) }))
    .filter(({ each, slips }) => slips <= maxSlips && slips < each.length / 2)
    .toSorted((a, b) => a.slips - b.slips);
  return byDistance[0]?.each;
}

/**
 * Letters to insert, drop, change or swap with their neighbour (optimal string alignment).
 *
 * @see Damerau, "A technique for computer detection and correction of spelling errors" (1964).
 */
function slipsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : changed;
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, changed, swapped));
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}
