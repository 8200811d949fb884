/**
 * `--credentials FOLDER`: reads the public test files of the C2PA (repository
 * c2pa-org/public-testfiles, not part of this one) with the product's own reader, and compares each
 * result with the file's name.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFileClues } from '../../src/image/container.ts';
import { readContentCredentials } from '../../src/provenance/c2pa.ts';

type State = 'valid' | 'broken' | 'ingredient broken' | 'expired' | 'none';

/** @returns whether every file has the result that its name states. */
export async function readTestFiles(folder: string): Promise<boolean> {
  const files = readdirSync(folder)
    .filter((file) => /\.jpe?g$/.test(file))
    .toSorted();
  let right = 0;
  for (const file of files) {
    const { state, told } = await readFile(join(folder, file));
    const expected = expectedOf(file);
    if (state === expected) right += 1;
    const mark = state === expected ? 'as expected' : `EXPECTED ${expected}`;
    process.stdout.write(`${file}: ${state}, ${mark}; ${told}\n`);
  }
  process.stdout.write(`${right} of ${files.length} as expected\n`);
  return right === files.length;
}

/**
 * C: claim, A and I: ingredients, X and E: errors (see the README of the files). An error in an
 * ingredient that its claim states leaves the claim intact (CIE-sig-CA); an error introduced later
 * does not (E-uri-CIE-sig-CA). The published Truepic files no longer have the bytes that were
 * signed, and Nikon's certificate has expired. c2pa-python 0.38.1 reports the same failures.
 */
function expectedOf(file: string): State {
  const [, maker = '', name = ''] = /^(\w+)-\d{8}-(.+)\.jpe?g$/.exec(file) ?? [];
  if (/^[AI]$/.test(name)) return 'none';
  if (name === 'E-uri-CIE-sig-CA') return 'ingredient broken';
  if (maker === 'nikon') return 'expired';
  return /^[XE]/.test(name) || maker === 'truepic' ? 'broken' : 'valid';
}

async function readFile(path: string): Promise<{ readonly state: State; readonly told: string }> {
  const bytes = readFileSync(path);
  if (!readFileClues(bytes, 'jpg').hasCredentials) {
    return { state: 'none', told: 'no credentials' };
  }
  const { credentials } = await readContentCredentials(bytes, 'jpg', null);
  const { integrity, ingredientProblems = [], problems, authority, signer } = credentials;
  const isPartBroken = ofBytes(ingredientProblems).length > 0;
  const isExpired = problems.includes('signingCredential.expired');
  const whole = isExpired ? 'expired' : 'valid';
  const intact = isPartBroken ? 'ingredient broken' : whole;
  return {
    state: integrity === 'valid' ? intact : 'broken',
    told: [signer, authority ?? 'no time stamp', ...ofBytes(problems)].join(', '),
  };
}

function ofBytes(codes: readonly string[]): readonly string[] {
  return codes.filter((code) => !code.startsWith('signingCredential.'));
}
