/** A user's folder with files, and the records that `forensics analyze` prints about them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import { emptyFolder } from './run-cli.ts';

export type Files = Readonly<Record<string, Uint8Array | string>>;

/** It is removed after the test. @param files - by their path inside it. */
export async function folderWith(files: Files): Promise<string> {
  const folder = await emptyFolder();
  for (const [name, content] of Object.entries(files)) {
    // oxlint-disable-next-line no-await-in-loop -- folders before their contents
    await mkdir(dirname(join(folder, name)), { recursive: true });
    // oxlint-disable-next-line no-await-in-loop -- as above
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** With `--json`. */
export function recordsIn(document: string): AnalysisRecord[] {
  return JSON.parse(document).analyses;
}

/** With `--jsonl`. */
export function recordLines(text: string): AnalysisRecord[] {
  return JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`);
}
