/** Commander's command with the options that several commands share, their values, and the rules for combining them. */

import { usageError } from '../contract/errors.ts';
import { availableParallelism } from 'node:os';
import { Command as PlainCommand, InvalidArgumentError, Option } from 'commander';
import { oneLine, visible } from '../contract/common.ts';
import { maxCaseDataLength, maxNoteLength } from '../contract/limits.ts';
import {
  type DecisionStrategy,
  type Language,
  languages,
  type Tier,
} from '../contract/vocabulary.ts';

export class Command extends PlainCommand {
  declare readonly commands: readonly Command[];
  declare parent: Command | null;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  helpAfter(text: string): this {
    return this.addHelpText('after', text);
  }

  /** Adds examples after the options in its help. @param ends - what follows its own name. */
  examples(...ends: readonly string[]): this {
    const lines = ends.map((end) => `  $ ${this.path()} ${end}`.trimEnd());
    return this.helpAfter(['', 'Examples:', ...lines].join('\n'));
  }

  /** Its name after those of the commands above: `forensics keys rotate`. */
  private path(): string {
    return this.parent === null ? this.name() : `${this.parent.path()} ${this.name()}`;
  }

  /** @param act - gets the arguments, followed by the options of this command and of the commands above. */
  override action(act: (...given: never[]) => void | Promise<void>): this {
    // Commander adds only this command's own options, and the command.
    return super.action((...given: unknown[]) =>
      Reflect.apply(act, undefined, [...given.slice(0, -2), this.optsWithGlobals()]),
    );
  }

  subcommand(name: string, description: string): Command {
    return this.command(name).description(description);
  }

  localCommand(name: string, description: string): Command {
    return this.subcommand(name, description).localOptions();
  }

  /** Adds a subcommand that acts on one tenant in this machine's data folder. */
  tenantCommand(name: string, description: string): Command {
    const command = this.subcommand(name, description);
    return command.requiredOption('--tenant <name>', 'the tenant').localOptions();
  }

  /** For a command that acts on this machine's data folder. If `--url` is given, the usage error says what to do. */
  localOptions(): this {
    return this.option('--data-dir <dir>', 'the data folder')
      .option('--config <file>', 'the config file')
      .option('--json', 'print JSON', false);
  }

  serverOptions(): this {
    const ca = "PEM file of the authority that must have signed the server's certificate";
    return this.option('--url <url>', 'act on this server: https://host:port', named)
      .option('--profile <name>', 'act on the server in this profile', named)
      .option('--ca <file>', ca, named)
      .option('--api-key-file <file>', 'file with the API key (or set FORENSICS_API_KEY)', named);
  }

  /** What a report contains, and in which languages. @param languagesAre - describes `--lang`. */
  reportOptions(languagesAre: string): this {
    const lang = new Option('--lang <list>', languagesAre).argParser(parseList(languages));
    return this.option('--with-metadata', 'include the metadata of the file in the report', false)
      .option('--error-level', 'include the error level map in the report', false)
      .addOption(lang.default([...languages], languages.join(',')));
  }

  /** `--project` is another name for `--case`, because the API calls a case a project. */
  caseOptions(): this {
    return this.option(
      '--case <number>',
      'the case, such as a claim number; projectId in the API',
      named,
    )
      .addOption(new Option('--project <number>').argParser(named).hideHelp())
      .on('option:project', (value: string) => this.setOptionValue('case', value))
      .option('--exhibit <number>', 'the exhibit number', printed(maxCaseDataLength))
      .option('--examiner <name>', 'the name of the examiner', printed(maxCaseDataLength))
      .option('--note <text>', 'a note about the case', printed(maxNoteLength))
      .option(
        '--template <file>',
        "JSON file with the laboratory's name, address and logo, and any text to print before the signature (see: forensics help evidence)",
        named,
      );
  }
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number of at most 15 digits.');
}

const wholeNumberWithin = (least: number, most: number, otherwise: string) => (text: string) => {
  const value = wholeNumber(text);
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(otherwise);
};

const jobCount = wholeNumberWithin(1, 64, 'It must be 1 to 64.');

/** At most 4 by default, because every child process needs memory for a whole picture. @param cores - used by one picture. */
export function jobsOption(cores: 1 | 2): Option {
  const jobs = Math.min(4, Math.max(1, Math.floor(availableParallelism() / cores)));
  return new Option('-j, --jobs <n>', 'number of pictures to examine at once')
    .argParser(jobCount)
    .default(jobs, `${cores === 1 ? 'one per core' : 'one for every two cores'}, at most 4`);
}

export const countFromOne = wholeNumberWithin(1, Infinity, 'It must be at least 1.');

/** A text that reports show in full, on one line. */
const printed = (most: number) => (text: string) => {
  const line = named(oneLine(text));
  if (line.length <= most) return line;
  throw new InvalidArgumentError(`It must have at most ${most} characters.`);
};

export function named(text: string): string {
  if (new RegExp(visible, 'u').test(text)) return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Accepts a date or a time, in any form that the API accepts. */
export function parseDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw new InvalidArgumentError('Write a day such as 2026-03-01.');
  return text;
}

/** The values in the order given, without duplicates. A repeated option replaces the earlier one. */
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
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
// Ten years. Anything longer is a typo, and ISO 8601 cannot write years beyond 9999 in four digits.
export const longestMs = 3650 * 86_400_000;

/** @returns milliseconds, above 0. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= longestMs) return ms;
  throw new InvalidArgumentError(
    'Write a number followed by m, h or d, such as 30m, 12h or 90d; at most 3650d.',
  );
}

/**
 * Rejects options that would have no effect, so that no user relies on one.
 *
 * @param names - as Commander stores them: `apiKeyFile` for `--api-key-file`.
 * @param why - the end of a sentence that begins with the options that were given.
 * @throws {ForensicsError} `usage` if one of them was given.
 */
export function assertNoOptions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  why: string,
): void {
  const flags = names
    .filter((name) => {
      const value: unknown = options[name];
      return Array.isArray(value) ? value.length > 0 : (value ?? false) !== false;
    })
    .map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  if (flags.length > 0) throw usageError(`${flags.join(', ')} ${why}`);
}

/** Options that take a text, each of which may be left out. */
export type TextOptions<Name extends string> = { readonly [Each in Name]?: string };

/** Options without a value: false if left out. */
export type SwitchOptions<Name extends string> = { readonly [Each in Name]: boolean };

export type FolderOptions = TextOptions<'dataDir' | 'config'>;

export interface LocalOptions extends FolderOptions, SwitchOptions<'json'> {}

export interface TenantOptions extends LocalOptions {
  readonly tenant: string;
}

export type ServerOptions = TextOptions<'url' | 'profile' | 'ca' | 'apiKeyFile'>;

export interface ServiceOptions extends LocalOptions, ServerOptions {}

/**
 * Whether the command acts on a server. Options, including --data-dir, take precedence over the environment.
 *
 * @throws {ForensicsError} `usage` if options for both are given, or options that need a server without one.
 */
export function isRemote(options: ServerOptions & FolderOptions): boolean {
  const { url, profile, dataDir } = options;
  if (url !== undefined || profile !== undefined) {
    if (dataDir === undefined) return true;
    throw usageError('--data-dir is for this machine; leave it out when acting on a server.');
  }
  const { FORENSICS_URL, FORENSICS_PROFILE } = process.env;
  if ((FORENSICS_URL || FORENSICS_PROFILE) && dataDir === undefined) return true;
  const why = 'only works with a server; add --url or --profile.';
  assertNoOptions(options, ['ca', 'apiKeyFile'], why);
  return false;
}

// The options of `forensics analyze`, some of which other commands share, and the rules for combining them.

/** In order of precedence for the exit code. `unexamined`: a file failed, is not a picture, or was left out. */
export const failOns = ['unexamined', 'fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

type AnalyzeSwitches =
  | ('recursive' | 'maps' | 'withMetadata' | 'errorLevel' | 'html' | 'withoutOriginal' | 'force')
  | ('json' | 'jsonl' | 'csv' | 'verbose' | 'resume');

/** Without `trustList` or `validation`, the settings `c2paTrustList` and `validation` apply. */
type AnalyzeTexts = TextOptions<'trustList' | 'validation' | 'dataDir' | 'tenant'>;

export interface AnalyzeOptions
  extends ServerOptions,
    CaseOptions,
    AnalyzeTexts,
    SwitchOptions<AnalyzeSwitches> {
  readonly tier: Tier;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
  readonly model: string | null;
  readonly lang: readonly Language[];
  readonly out: string | null;
  readonly failOn: readonly FailOn[];
  readonly jobs: number;
  /** If false, does not wait for the server's results. */
  readonly wait: boolean;
}

/** Rejects options that would have no effect, so that nobody relies on them. @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  const { tier, out, maps, html, force } = options;
  if (tier !== 'forensicReporting') {
    const ofReports = [
      'maps',
      'validation',
      'withMetadata',
      'withoutOriginal',
      'errorLevel',
    ] as const;
    // A server adds pictures of either tier to a case.
    const ofCases = caseOptions.filter((name) => name !== 'case' || !isRemote(options));
    const why = 'is for forensic reports; add --tier forensicReporting.';
    assertNoOptions(options, [...ofReports, ...ofCases, 'html'], why);
  }
  if (out === null && maps) throw usageError('--maps needs a folder; add --out DIR.');
  if (out === null && (html || options.withoutOriginal)) {
    const [name, what] = html ? ['--html', 'reports'] : ['--without-original', 'evidence bundles'];
    throw usageError(`${name} is for ${what}; add --tier forensicReporting and --out DIR.`);
  }
  if (out === null && force) {
    throw usageError('--force replaces the results in --out DIR; add --out.');
  }
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is a terminal; pipe a picture into it.');
  }
  if (isRemote(options)) return;
  const ofServer = { ...options, noWait: !options.wait };
  assertNoOptions(ofServer, ['tenant', 'resume', 'noWait'], 'only works with a server; add --url.');
}

/** The language of everything printed for people: the first of the reports' languages. */
export function printedLanguage({ lang }: Pick<AnalyzeOptions, 'lang'>): Language {
  return lang[0] ?? 'en';
}

export const caseOptions = ['case', 'exhibit', 'examiner', 'note', 'template'] as const;
export type CaseOptions = TextOptions<(typeof caseOptions)[number]>;
