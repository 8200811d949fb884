/**
 * `--credentials FOLDER [--c2pa-python PYTHON]`: reads the public test files of the C2PA (repository
 * c2pa-org/public-testfiles, not part of this one) with the product's own reader, and compares each
 * result with the file's name and with c2pa-python's, if a Python that has this package is named.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openContainer } from '../../src/image/container.ts';
import { localLimits } from '../../src/image/picture.ts';
import { readContentCredentials } from '../../src/provenance/c2pa.ts';

type State = 'valid' | 'broken' | 'ingredient broken' | 'expired' | 'none';

interface Reading {
  readonly state: State;
  readonly told: string;
  readonly codes: readonly string[];
}

/** @returns whether every file is what its name says and, if there is a `python`, c2pa-python finds the same. */
export async function readTestFiles(folder: string, python?: string): Promise<boolean> {
  const files = readdirSync(folder)
    .filter((file) => /\.jpe?g$/.test(file))
    .toSorted();
  const paths = files.map((file) => join(folder, file));
  const theirs = python === undefined ? [] : readByOther(python, paths);
  const counts = { expected: 0, sameState: 0, sameCodes: 0 };
  const apart = new Map<string, number>();
  for (const [at, file] of files.entries()) {
    const reading = await readFile(paths[at]!);
    const { state, told } = reading;
    const expected = expectedOf(file);
    if (state === expected) counts.expected += 1;
    const mark = state === expected ? 'as expected' : `EXPECTED ${expected}`;
    const other = theirs[at];
    const differing = other === undefined ? [] : codesApart(reading, other);
    for (const code of differing) apart.set(code, (apart.get(code) ?? 0) + 1);
    if (differing.length === 0) counts.sameCodes += 1;
    if (other !== undefined && stateThere(state) === other.state) counts.sameState += 1;
    const compared = other === undefined ? '' : `; c2pa-python: ${other.state}`;
    process.stdout.write(`${file}: ${state}, ${mark}; ${told}${compared}\n`);
  }
  process.stdout.write(`${counts.expected} of ${files.length} as expected\n`);
  if (python === undefined) return counts.expected === files.length;
  process.stdout.write(
    `c2pa-python: the same state in ${counts.sameState} of ${files.length}, the same codes in ${counts.sameCodes}\n`,
  );
  for (const [code, count] of apart) process.stdout.write(`${code}, files: ${count}\n`);
  return counts.expected === files.length && counts.sameState === files.length;
}

interface OtherReading {
  readonly state: string;
  readonly codes: readonly string[];
}

function readByOther(python: string, paths: readonly string[]): readonly OtherReading[] {
  const script = join(import.meta.dirname, 'credentials.py');
  const lines = execFileSync(python, [script, ...paths], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .map((line): OtherReading => JSON.parse(line));
}

/** c2pa-python calls every failure "Invalid", except for a signer who is on no trust list. */
function stateThere(state: State): string {
  if (state === 'none') return 'none';
  return state === 'valid' ? 'Valid' : 'Invalid';
}

/** Both leave revocation unchecked; only c2pa-python has a code for that. */
const unchecked = 'signingCredential.ocsp.skipped';

function codesApart(ours: Reading, theirs: OtherReading): readonly string[] {
  return [
    ...lacking(theirs.codes, ours.codes).map((code) => `only there: ${code}`),
    ...lacking(ours.codes, theirs.codes).map((code) => `only here: ${code}`),
  ];
}

function lacking(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((code) => !others.includes(code) && code !== unchecked);
}

/**
 * C: claim, A and I: ingredients, X and E: errors (see the README of the files). An error in an
 * ingredient that its claim states leaves the claim intact (CIE-sig-CA); an error introduced later
 * does not (E-uri-CIE-sig-CA). The published Truepic files no longer have the bytes that were
 * signed, and Nikon's certificate has expired.
 */
function expectedOf(file: string): State {
  const [, maker = '', name = ''] = /^(\w+)-\d{8}-(.+)\.jpe?g$/.exec(file) ?? [];
  if (/^[AI]$/.test(name)) return 'none';
  if (name === 'E-uri-CIE-sig-CA') return 'ingredient broken';
  if (maker === 'nikon') return 'expired';
  return /^[XE]/.test(name) || maker === 'truepic' ? 'broken' : 'valid';
}

async function readFile(path: string): Promise<Reading> {
  const bytes = readFileSync(path);
  if (!openContainer(bytes, localLimits).file.hasCredentials) {
    return { state: 'none', told: 'no credentials', codes: [] };
  }
  const { credentials } = await readContentCredentials(bytes, 'jpg', null);
  const {
    integrity,
    ingredientProblems = [],
    problems,
    authority,
    signer,
    codes = [],
  } = credentials;
  const isPartBroken = ofBytes(ingredientProblems).length > 0;
  const isExpired = problems.includes('signingCredential.expired');
  const whole = isExpired ? 'expired' : 'valid';
  const intact = isPartBroken ? 'ingredient broken' : whole;
  return {
    state: integrity === 'valid' ? intact : 'broken',
    told: [signer, authority ?? 'no time stamp', ...ofBytes(problems)].join(', '),
    codes,
  };
}

function ofBytes(codes: readonly string[]): readonly string[] {
  return codes.filter((code) => !code.startsWith('signingCredential.'));
}
