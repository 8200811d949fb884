/** How a failure is printed: one line on stderr, `forensics: <message>`, and the exit code of the error table. */

import { type ExitCode, exitCodes, ForensicsError, toForensicsError } from '../errors.ts';
import { toOutputFailure } from '../ports/files/system-errors.ts';
import { printable, switches } from './output/terminal.ts';

/** Prints the one line; with `verbose` also where it came from. Without it, a failure of our own points there. */
export function printFailure(error: unknown, { verbose }: { verbose: boolean }): ExitCode {
  const failure = toForensicsError(error);
  const isOurs = failure.code === 'internal';
  const hint = isOurs && !verbose ? ' Run again with --verbose to see the cause.' : '';
  process.stderr.write(`forensics: ${printable(failure.message)}${hint}\n`);
  if (verbose) process.stderr.write(`${causeOf(failure)}\n`);
  return failure.exitCode;
}

/** The same for one of several files, which does not end the run. `told`: its message in the language of the run. */
export function printFileFailure(
  file: string,
  failure: ForensicsError,
  { verbose, told = failure.message }: { readonly verbose: boolean; readonly told?: string },
): void {
  process.stderr.write(`forensics: ${printable(file)}: ${printable(told)}\n`);
  if (verbose) process.stderr.write(`${causeOf(failure)}\n`);
}

interface Called {
  /** The command that was called, such as `keys list`; empty for none. */
  readonly command: string;
  readonly write: (text: string) => void;
}

/** Commander's own complaints (`error: unknown option '--sed'\n(Did you mean --seed?)`) as one line of ours. */
export function printUsageError(text: string, { command, write }: Called): void {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  const told = serverMessage(line) ?? `${line}${helpHint(line, command)}`;
  write(`forensics: ${printable(told)}\n`);
}

/** Without a guess at what was meant, point to the help. */
function helpHint(line: string, command: string): string {
  const isOpen = /^(missing|required|unknown|too many) [^.(]*$/.test(
    line.replaceAll(/'[^']*'/g, ''),
  );
  return isOpen ? `; see "forensics ${command === '' ? '' : `${command} `}--help"` : '';
}

/** A user who names a server may not know that this command only works locally. Null for any other complaint. */
function serverMessage(line: string): string | null {
  const unknown = /^unknown option '--(url|profile|ca|fingerprint|api-key-file)'/.exec(line)?.[0];
  return unknown === undefined
    ? null
    : `${unknown}. This command works on a local data folder. Run it on the machine of the server.`;
}

export function usageError(message: string): ForensicsError {
  return new ForensicsError('usage', message);
}

const deepest = 8;

/**
 * The causes of a failure, for `--verbose`: names, messages and stacks, no secrets. Properties of foreign errors are
 * left out: among them are requests with their headers, and commands of protocols.
 */
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
