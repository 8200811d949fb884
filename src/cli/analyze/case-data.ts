/** Reads the case options; apart from `options.ts`, because checking a template needs a large library. */

import { dirname, resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { jsonOrNull, withoutUndefined } from '../../contract/common.ts';
import { readFileUpTo } from '../../ports/files/system-errors.ts';
import type { CaseData, Laboratory } from '../../present/report-item.ts';
import { usageError } from '../errors.ts';
import type { CaseOptions } from './options.ts';

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
