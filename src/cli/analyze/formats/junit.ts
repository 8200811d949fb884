/** A run as CI systems read it: a test case a picture. It is written beside the other faces, into a file of its own. */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkFree, putInPlace } from '../../../files/output-file.ts';
import { writing } from '../../../files/system-errors.ts';
import { printable } from '../../output/print.ts';
import { removeAtExit } from '../../output/terminal.ts';
import type { AnalyzeOptions } from '../options.ts';
import type { AnalysisRecord } from '../record.ts';
import type { Tally } from '../summary.ts';
import { type TableRow, tableRowOf } from './table.ts';

export interface JunitFile {
  add(record: AnalysisRecord): Promise<void>;
  /** Puts the file in its place. */
  finish(tally: Tally, elapsedMs: number): Promise<void>;
  /** Leaves nothing behind when it was not finished: half a report would look like a whole one. */
  close(): Promise<void>;
}

type JunitOptions = Pick<AnalyzeOptions, 'failOn' | 'force'>;

/** @throws {ForensicsError} `conflict`, `output_not_writable`, `no_space_left`; so do its verbs. */
export async function openJunitFile(path: string, options: JunitOptions): Promise<JunitFile> {
  await checkFree(path, options);
  const temporary = join(dirname(path), `.forensics-${randomUUID()}.new`);
  const file = await writing(() => open(temporary, 'wx'));
  const release = removeAtExit(temporary);
  let failing = 0;
  await writing(() => file.write(headOf(null, 0)));
  return {
    add: async (record) => {
      const { text, isFailure } = testCaseOf(record, options.failOn);
      if (isFailure) failing++;
      await writing(() => file.write(text));
    },
    finish: async (tally, elapsedMs) => {
      await writing(() => finishFile(file, headOf({ tally, elapsedMs }, failing)));
      await putInPlace(temporary, path, options);
    },
    close: async () => {
      await file.close();
      await rm(temporary, { force: true });
      release();
    },
  };
}

/** The counts stand before what they count: they are written last, over the room that was left for them. */
async function finishFile(file: FileHandle, head: string): Promise<void> {
  await file.write('</testsuite></testsuites>\n');
  await file.write(head, 0);
  await file.sync();
}

interface Ended {
  readonly tally: Tally;
  readonly elapsedMs: number;
}

const headLength = 400;

/** Of the same length whatever the counts; between attributes XML takes any number of spaces. */
function headOf(ended: Ended | null, failures: number): string {
  const { total = 0, counts } = ended?.tally ?? {};
  const seconds = ((ended?.elapsedMs ?? 0) / 1000).toFixed(3);
  const figures = `tests="${total}" failures="${failures}" errors="${counts?.failed ?? 0}" time="${seconds}"`;
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${figures}>\n<testsuite name="forensics analyze" ${figures} skipped="0"`;
  return `${head.padEnd(headLength)}>\n`;
}

function testCaseOf(record: AnalysisRecord, failOn: JunitOptions['failOn']) {
  const row = tableRowOf(record);
  const isFailure = failOn.some((verdict) => verdict === record.verdict);
  const time = (record.durationMs / 1000).toFixed(3);
  const inside =
    record.error === null
      ? outcomeOf(row, isFailure)
      : `<error type="${record.error.code}" message="${escaped(record.error.message)}"/>`;
  const text = `<testcase classname="forensics.analyze" name="${escaped(record.file)}" time="${time}">${inside}</testcase>\n`;
  return { text, isFailure };
}

function outcomeOf({ verdict, probability, remark }: TableRow, isFailure: boolean): string {
  const told = [verdict, ...(probability === '-' ? [] : [`P(fake) ${probability}`]), remark];
  const text = escaped(told.filter((part) => part !== '').join(', '));
  if (!isFailure) return `<system-out>${text}</system-out>`;
  return `<failure type="${verdict}" message="${text}"/>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Control characters and lone surrogates, which XML 1.0 forbids, come out as they are shown; so two more. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD')
    .replaceAll(/[&<>"]/g, (character) => entities[character]!);
}
