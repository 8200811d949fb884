/** Prints a failure as one line on stderr, `forensics: <message>`, with the exit code from the error table. */

import { type ExitCode, ForensicsError, toForensicsError } from '../contract/errors.ts';
import { printable } from './output/terminal.ts';

export function printFailure(error: unknown, { verbose }: { verbose: boolean }): ExitCode {
  const failure = toForensicsError(error);
  const isOurs = failure.code === 'internal';
  const hint = isOurs && !verbose ? ' Run again with --verbose to see the cause.' : '';
  process.stderr.write(`forensics: ${printable(failure.message)}${hint}\n`);
  if (verbose) process.stderr.write(`${describeCauses(failure)}\n`);
  return failure.exitCode;
}

/** Prints the failure of one of several files. @param how.message - the message in the language of the run. */
export function printFileFailure(
  file: string,
  failure: ForensicsError,
  { verbose, message = failure.message }: { readonly verbose: boolean; readonly message?: string },
): void {
  process.stderr.write(`forensics: ${printable(file)}: ${printable(message)}\n`);
  if (verbose) process.stderr.write(`${describeCauses(failure)}\n`);
}

/** Prints Commander's errors as one line. @param called.command - such as `keys list`; empty if there was none. */
export function printUsageError(
  text: string,
  { command, write }: { readonly command: string; readonly write: (text: string) => void },
): void {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  const message = serverMessage(line) ?? `${line}${helpHint(line, command)}`;
  write(`forensics: ${printable(message)}\n`);
}

/** If Commander has no suggestion, points to the help. */
function helpHint(line: string, command: string): string {
  const words = line.replaceAll(/'[^']*'/g, '');
  const isOpen = /^(missing|required|unknown|too many) [^.(]*$/.test(words);
  return isOpen ? `; see "forensics ${command === '' ? '' : `${command} `}--help"` : '';
}

/** The message for a user who specifies a server in a command that only works locally; null for any other error. */
function serverMessage(line: string): string | null {
  const unknown = /^unknown option '--(url|profile|ca|api-key-file)'/.exec(line)?.[0];
  return unknown === undefined
    ? null
    : `${unknown}. This command only works on a local data folder; run it on the server's own machine.`;
}

const deepest = 8;

/** For `--verbose`, without secrets. Other properties are left out: they include requests with their headers. */
function describeCauses(failure: Error): string {
  const parts: string[] = [];
  let at: unknown = failure;
  while (at instanceof Error && parts.length < deepest) {
    const code = 'code' in at && typeof at.code === 'string' ? ` [${at.code}]` : '';
    const [first = '', ...rest] = (at.stack ?? `${at.name}: ${at.message}`).split('\n');
    parts.push([`${parts.length === 0 ? '' : 'caused by: '}${first}${code}`, ...rest].join('\n'));
    at = at.cause;
  }
  const text = parts.join('\n');
  return secrets.reduce((masked, [pattern, shown]) => masked.replaceAll(pattern, shown), text);
}

const secrets: readonly (readonly [RegExp, string])[] = [
  // API keys and webhook secrets of this service.
  [/\bsk-[a-z0-9]+-[0-9A-Za-z]+/g, 'sk-***'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, 'whsec_***'],
  // Tokens (RFC 7519), and the content of Authorization headers.
  [/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '***'],
  [/\b(ApiKey|Basic|Bearer)\s+[^\s'",]+/gi, '$1 ***'],
  // In URLs: a password before the host, and a signature in the query.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@'],
  [/(\bhttps?:\/\/[^\s?'"]+)\?[^\s'")]+/gi, '$1?***'],
];
