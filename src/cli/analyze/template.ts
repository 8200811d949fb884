/** A laboratory's template: its name, address, logo and sentences, for every report that it makes. */

import { dirname, resolve } from 'node:path';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readFileUpTo } from '../../ports/files/system-errors.ts';
import type { Laboratory } from '../../present/report-item.ts';
import { usageError } from '../errors.ts';

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

/** @throws {ForensicsError} `usage` for a template that cannot be used. */
export async function readTemplate(path: string): Promise<Laboratory> {
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
