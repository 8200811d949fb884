/** Who ordered a report and who answers for it: the options of `analyze` and `report`, and a laboratory's template. */

import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readFileUpTo } from '../../files/read-file.ts';
import type { CaseData, Laboratory } from '../../report/report-item.ts';
import { usageError } from '../errors.ts';
import { named } from '../options.ts';

export interface CaseOptions {
  readonly case?: string;
  readonly exhibit?: string;
  readonly examiner?: string;
  readonly note?: string;
  readonly template?: string;
}

export function withCaseOptions(command: Command): Command {
  return command
    .option('--case <number>', 'case number, printed in the report', named)
    .option('--exhibit <number>', 'number of the exhibit', named)
    .option('--examiner <name>', 'name of the examiner', named)
    .option('--note <text>', 'a remark on the case', named)
    .option(
      '--template <file>',
      'JSON file of the laboratory: name, address, logo, sentences (see: forensics help evidence)',
      named,
    );
}

/** The options that were given, by their names, as `refuseOptions` wants them. */
export function caseOptionsGiven(options: CaseOptions): Readonly<Record<string, boolean>> {
  return {
    '--case': options.case !== undefined,
    '--exhibit': options.exhibit !== undefined,
    '--examiner': options.examiner !== undefined,
    '--note': options.note !== undefined,
    '--template': options.template !== undefined,
  };
}

/** Nothing where no option was given. @throws {ForensicsError} `usage` for a template that cannot be used. */
export async function readCaseData(options: CaseOptions): Promise<{ caseData?: CaseData }> {
  if (!Object.values(caseOptionsGiven(options)).includes(true)) return {};
  const { case: caseNumber, exhibit, examiner, note, template } = options;
  const caseData: CaseData = {
    ...(caseNumber === undefined ? {} : { caseNumber }),
    ...(exhibit === undefined ? {} : { exhibit }),
    ...(examiner === undefined ? {} : { examiner }),
    ...(note === undefined ? {} : { note }),
    ...(template === undefined ? {} : { laboratory: await readTemplate(template) }),
  };
  return { caseData };
}

const text = Type.String({ minLength: 1, maxLength: 600 });

const templateSchema = Type.Object(
  {
    name: text,
    address: Type.Optional(Type.Array(text, { maxItems: 6 })),
    /** Path of a PNG or JPEG file, from the folder of the template. */
    logo: Type.Optional(text),
    sentences: Type.Optional(Type.Array(text, { maxItems: 12 })),
  },
  { additionalProperties: false },
);

const templateCheck = Compile(templateSchema);

const maxTemplateBytes = 64 * 1024;
/** It travels in every report and bundle. */
const maxLogoBytes = 256 * 1024;

async function readTemplate(path: string): Promise<Laboratory> {
  const value = parseJson(await readFileUpTo(path, maxTemplateBytes));
  if (!templateCheck.Check(value)) {
    throw usageError(
      '--template FILE must hold a JSON object with "name" and, if wanted, "address" and "sentences" (lists of lines) and "logo" (a path).',
    );
  }
  const { name, address = [], logo, sentences = [] } = value;
  return { name, address, sentences, logo: logo === undefined ? null : await readLogo(path, logo) };
}

async function readLogo(template: string, logo: string): Promise<string> {
  const bytes = Buffer.from(await readFileUpTo(resolve(dirname(template), logo), maxLogoBytes));
  const isPng = bytes.subarray(0, 4).toString('latin1') === '\u0089PNG';
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isPng && !isJpeg) throw usageError('The "logo" of --template must be a PNG or JPEG file.');
  return bytes.toString('base64');
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}
