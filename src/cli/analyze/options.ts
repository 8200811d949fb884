/** The options of `forensics analyze`, and the rules for combining them. */

import { Option } from 'commander';
import type { Command } from '../command.ts';
import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import { assertNoOptions, isRemote, named, type ServerOptions } from '../options.ts';
import { dirname, resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { jsonOrNull, withoutUndefined } from '../../contract/common.ts';
import { readFileUpTo } from '../../ports/files/system-errors.ts';
import type { CaseData, Laboratory } from '../../present/report-item.ts';

/** In order of precedence for the exit code. `unexamined`: a file failed, is not a picture, or was left out. */
export const failOns = ['unexamined', 'fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

export interface AnalyzeOptions extends ServerOptions, CaseOptions {
  readonly recursive: boolean;
  readonly tier: Tier;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
  readonly model: string | null;
  readonly lang: readonly Language[];
  /** Without the option, the `c2paTrustList` setting applies. */
  readonly trustList?: string;
  /** Without the option, the setting with the same name applies. */
  readonly validation?: string;
  readonly dataDir?: string;
  readonly out: string | null;
  readonly maps: boolean;
  readonly withMetadata: boolean;
  readonly errorLevel: boolean;
  readonly html: boolean;
  readonly withoutOriginal: boolean;
  readonly force: boolean;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly csv: boolean;
  readonly failOn: readonly FailOn[];
  readonly jobs: number;
  readonly verbose: boolean;
  readonly tenant?: string;
  /** Continues an interrupted run on a server. */
  readonly resume: boolean;
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
  checkStandardInput(args);
  if (isRemote(options)) return;
  const ofServer = { ...options, noWait: !options.wait };
  assertNoOptions(ofServer, ['tenant', 'resume', 'noWait'], 'only works with a server; add --url.');
}

function checkStandardInput(args: readonly string[]): void {
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is a terminal; pipe a picture into it.');
  }
}

/** The language of everything printed for people: the first of the reports' languages. */
export function printedLanguage({ lang }: Pick<AnalyzeOptions, 'lang'>): Language {
  return lang[0] ?? 'en';
}

export const caseOptions = ['case', 'exhibit', 'examiner', 'note', 'template'] as const;
export type CaseOptions = { readonly [Name in (typeof caseOptions)[number]]?: string };

/** Adds the case options. `--project` is another name for `--case`, because the API calls a case a project. */
export function withCaseOptions(command: Command): Command {
  return command
    .option('--case <number>', 'the case, such as a claim number; projectId in the API', named)
    .addOption(new Option('--project <number>').argParser(named).hideHelp())
    .on('option:project', (value: string) => command.setOptionValue('case', value))
    .option('--exhibit <number>', 'the exhibit number', named)
    .option('--examiner <name>', 'the name of the examiner', named)
    .option('--note <text>', 'a note about the case', named)
    .option(
      '--template <file>',
      "JSON file with the laboratory's name, address and logo, and any text to print before the signature (see: forensics help evidence)",
      named,
    );
}

/** Returns an empty object if no option was given. @throws {ForensicsError} `usage` for an unusable template. */
export async function readCaseData(options: CaseOptions): Promise<{ caseData?: CaseData }> {
  const { case: caseNumber, exhibit, examiner, note, template } = options;
  const laboratory = template === undefined ? undefined : await readTemplate(template);
  const caseData = withoutUndefined({ caseNumber, exhibit, examiner, note, laboratory });
  return Object.keys(caseData).length === 0 ? {} : { caseData };
}

const text = Type.String({ minLength: 1, maxLength: 600 });

const templateSchema = Type.Object(
  {
    name: text,
    address: Type.Optional(Type.Array(text, { maxItems: 6 })),
    /** Path of a PNG or JPEG file, relative to the template's folder. */
    logo: Type.Optional(text),
    sentences: Type.Optional(Type.Array(text, { maxItems: 12 })),
  },
  { additionalProperties: false },
);

const maxTemplateBytes = 64 * 1024;
/** The logo is limited in size because it is part of every report and bundle. */
const maxLogoBytes = 256 * 1024;

/** Reads a laboratory's template, which all its reports share. */
async function readTemplate(path: string): Promise<Laboratory> {
  const value = jsonOrNull(Buffer.from(await readFileUpTo(path, maxTemplateBytes)).toString());
  if (!Value.Check(templateSchema, value)) {
    throw usageError(
      '--template FILE must contain a JSON object with "name" and, optionally, "address" and "sentences" (lists of lines) and "logo" (a path).',
    );
  }
  const { name, address = [], logo, sentences = [] } = value;
  return { name, address, sentences, logo: logo === undefined ? null : await readLogo(path, logo) };
}

async function readLogo(template: string, logo: string): Promise<string> {
  const bytes = Buffer.from(await readFileUpTo(resolve(dirname(template), logo), maxLogoBytes));
  const isPng = bytes.subarray(0, 4).toString('latin1') === '\u0089PNG';
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isPng && !isJpeg)
    throw usageError('The "logo" in the --template file must be a PNG or JPEG file.');
  return bytes.toString('base64');
}
