/** Options that several commands take, and their values. */

import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { usageError } from './errors.ts';

/** The default of the sandbox too: every child process needs memory for a whole picture. */
export const defaultJobs = Math.min(4, availableParallelism());

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return value;
}

export function jobCount(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 64) throw new InvalidArgumentError('It must be 1 to 64.');
  return value;
}

export function named(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

export function countFromOne(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** A day, or a time of it, as the interface takes it. */
export function parseDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw new InvalidArgumentError('Write a day such as 2026-03-01.');
  return text;
}

/** In the order given, each once. A repeated option replaces the one before it. */
export function parseList<T extends string>(allowed: readonly T[]): (text: string) => T[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    const chosen = words.flatMap((word) => allowed.filter((one) => one === word));
    if (chosen.length < words.length) {
      throw new InvalidArgumentError(
        `Use one or more of these, separated by commas: ${allowed.join(', ')}.`,
      );
    }
    return [...new Set(chosen)];
  };
}

/** Durations on the command line: `90d`, `12h`, `30m`. */
const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
// Ten years: anything longer is a typo, and ISO 8601 cannot write a date beyond the year 9999 in four digits.
export const longestMs = 3650 * 86_400_000;

/** @returns milliseconds, above 0. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= longestMs) return ms;
  throw new InvalidArgumentError('Write a number and m, h or d, at most 3650d: 30m, 12h, 90d.');
}

/**
 * Refuses options that would have no effect, so that no user relies on one.
 *
 * @param why - as the end of a sentence that begins with their names.
 * @throws {ForensicsError} `usage` when one of them is given.
 */
export function assertNoOptions(given: Readonly<Record<string, boolean>>, why: string): void {
  const names = Object.keys(given).filter((name) => given[name] === true);
  if (names.length > 0) throw usageError(`${names.join(', ')} ${why}`);
}

/** Skips the confirmation of commands that cannot be undone. */
export function yesOption(description = 'do not ask for confirmation'): Option {
  return new Option('--yes', description).default(false);
}

/** The options of a command that acts on the data folder of this machine. With `--url` the usage error says what to do. */
export function withLocalOptions(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
}

/** Accepts colons, spaces and capitals. @throws {ForensicsError} `usage`. */
export function parseFingerprint(written: string): string {
  const digits = written.replaceAll(/[\s:]/g, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw usageError('--fingerprint must be a SHA-256: 64 hexadecimal digits.');
}

/** The end of a help text. @param lines - without the name of the program. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ forensics ${line}`)].join('\n');
}

/** Adds a command below another one. @param lines - its examples, without the name of the program. */
export function subcommand(
  parent: Command,
  name: string,
  description: string,
  lines: readonly string[] = [],
): Command {
  const command = parent.command(name).description(description);
  return lines.length === 0 ? command : command.addHelpText('after', examples(...lines));
}

/** A command on the data folder of this machine. */
export function localCommand(...how: Parameters<typeof subcommand>): Command {
  return withLocalOptions(subcommand(...how));
}

/** A command on the data folder of this machine or on a server. */
export function serviceCommand(...how: Parameters<typeof subcommand>): Command {
  return withServiceOptions(subcommand(...how));
}

/** An action that gets the arguments, and then the options of its command and of those above. */
export function calling(act: (...args: never[]) => void | Promise<void>) {
  return async function callAct(this: Command, ...given: unknown[]): Promise<void> {
    // Commander adds the options of this command alone, and the command.
    await Reflect.apply(act, undefined, [...given.slice(0, -2), this.optsWithGlobals()]);
  };
}

/** The data folder, and the config file that may name it. */
export interface FolderOptions {
  readonly dataDir?: string;
  readonly config?: string;
}

export interface LocalOptions extends FolderOptions {
  readonly json: boolean;
}

export interface ServerOptions {
  readonly url?: string;
  readonly profile?: string;
  readonly ca?: string;
  readonly fingerprint?: string;
  readonly apiKeyFile?: string;
}

export interface ServiceOptions extends LocalOptions, ServerOptions {}

/** The options of a command that acts on either. */
export function withServiceOptions(command: Command): Command {
  return withServerOptions(withLocalOptions(command));
}

/** The options of a command that acts on a server. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--url <url>', 'act on this server: https://host:port', named)
    .option('--profile <name>', 'act on the server of this profile', named)
    .option(
      '--ca <file>',
      'PEM file of the authority that must have signed the certificate of the server',
      named,
    )
    .option('--fingerprint <sha256>', 'SHA-256 of a certificate that the server must show', named)
    .option('--api-key-file <file>', 'file that holds the API key (or FORENSICS_API_KEY)', named);
}

/**
 * Whether the command acts on a server. An option beats the environment, also --data-dir.
 *
 * @throws {ForensicsError} `usage` for options of both, and for options that need a server when there is none.
 */
export function isRemote(options: ServerOptions & FolderOptions): boolean {
  const { url, profile, dataDir } = options;
  if (url !== undefined || profile !== undefined) {
    if (dataDir === undefined) return true;
    throw usageError('--data-dir is for this machine; leave it out with a server.');
  }
  const { FORENSICS_URL = '', FORENSICS_PROFILE = '' } = process.env;
  const isOfEnvironment = FORENSICS_URL !== '' || FORENSICS_PROFILE !== '';
  if (isOfEnvironment && dataDir === undefined) return true;
  const { ca, fingerprint, apiKeyFile } = options;
  assertNoOptions(
    {
      '--ca': ca !== undefined,
      '--fingerprint': fingerprint !== undefined,
      '--api-key-file': apiKeyFile !== undefined,
    },
    'is for a server; add --url or --profile.',
  );
  return false;
}
