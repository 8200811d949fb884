/** Reads the evidence bundle of a picture back: it must state what every other surface states. */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import { languages } from '../../src/contract/vocabulary.ts';
import { canonicalBytes, fileNames } from '../../src/evidence/bundle-format.ts';
import { inspectBundle } from '../../src/evidence/verify.ts';
import { printable } from '../../src/present/text.ts';
import type { ReportTexts } from '../../src/present/report-item.ts';
import { codesIn, flat, missing } from './surfaces.ts';

const bundleFile = 'evidence.zip';

/** A line for each contradiction. */
export async function readBundle(record: AnalysisRecord): Promise<readonly string[]> {
  const path = record.files.find((file) => basename(file) === bundleFile);
  if (path === undefined) return ['no bundle'];
  const { verification, files } = await inspectBundle(path, {});
  const { evidence, verdict } = JSON.parse(textOf(files, fileNames.result));
  return [
    ...verification.problems.map(({ message }) => message),
    ...(await differingFiles(record, files)),
    ...(verdict === record.verdict ? [] : ['verdict differs']),
    ...Object.entries(evidence)
      .filter(([name, value]) => !isSame(value, Object(record.evidence)[name]))
      .map(([name]) => `${name} differs`),
    ...readTexts(record, JSON.parse(textOf(files, fileNames.texts))),
  ].map((one) => `bundle: ${one}`);
}

type Files = ReadonlyMap<string, Uint8Array>;

function textOf(files: Files, name: string): string {
  return Buffer.from(files.get(name) ?? '{}').toString('utf8');
}

/** Reports and heatmaps next to it. */
async function differingFiles({ files }: AnalysisRecord, inBundle: Files) {
  const found: string[] = [];
  for (const path of files) {
    const name = basename(path);
    if (name === bundleFile || name === fileNames.result) continue;
    const bytes = inBundle.get(name);
    const isEqual = bytes !== undefined && Buffer.from(bytes).equals(await readFile(path));
    if (!isEqual) found.push(`${name} differs`);
  }
  return found;
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalBytes(one ?? null).equals(canonicalBytes(other ?? null));
}

function readTexts({ evidence }: AnalysisRecord, texts: Record<string, ReportTexts>) {
  if (evidence === null) return ['no evidence'];
  return languages.flatMap((language) => {
    const told = texts[language];
    if (told === undefined) return [`no text in ${language}`];
    const { summary, forensic, conclusion } = told;
    const stated = [evidence, ...evidence.findings, ...evidence.reasons];
    return [
      ...stated.flatMap(({ statement }) =>
        missing(
          'sentence',
          { [fileNames.texts]: flat(forensic) },
          printable(statement[language], 2000),
        ),
      ),
      ...codesIn([summary, forensic, conclusion].join(' ')).map(
        (code) => `${fileNames.texts}: a word of the code: ${code}`,
      ),
    ];
  });
}
