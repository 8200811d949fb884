/** What a run prints: records on standard output; failures, progress and the summary on standard error. */

import { once } from 'node:events';
import wrapAnsi from 'wrap-ansi';
import { type Language, resultSubClasses } from '../../contract/vocabulary.ts';
import type { ForensicsError } from '../../contract/errors.ts';
import { csvText, type CsvValue } from '../../present/csv.ts';
import { writeFailure } from '../../present/failures.ts';
import type { Origin } from '../../present/report-item.ts';
import { isCopy, writeOther } from '../../present/findings.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { printFileFailure } from '../errors.ts';
import { lineWidth, log, printable } from '../output/terminal.ts';
import {
  concernsWholeRun,
  emptySummary,
  leftOutLines,
  type Progress,
  startProgress,
  type Summary,
  summaryLine,
  withRecord,
} from './batch.ts';
import { type TableRow, toTableRow, writeCard, writeTable } from './card.ts';
import { type Input, walkInputs } from './inputs.ts';
import { type AnalyzeOptions, printedLanguage } from '../options.ts';
import { type AnalysisRecord, resultIn } from './record.ts';

export type Reporter = Awaited<ReturnType<typeof openReporter>>;

/** @throws {ForensicsError} `output_not_writable`, `no_space_left`; the methods throw these too. */
export async function openReporter(args: readonly string[], options: AnalyzeOptions) {
  const language = printedLanguage(options);
  const progress = await startProgress((signal) => countInputs(args, options, signal), language);
  const format = chooseFormat(options);
  const write = createWriter(format.head, progress);
  const began = performance.now();
  const writeLine = (summary: Summary) => summaryLine(summary, performance.now() - began, language);
  let summary = emptySummary;
  /** Counts pictures as they finish. If the run is stopped, not all of them have been reported. */
  let done = emptySummary;
  let deferredLine: (() => void) | null = null;
  return {
    failed: (input: Input, failure: ForensicsError) => {
      const message = writeFailure(failure, language);
      const line = () => printFileFailure(input.label, failure, { ...options, message });
      // On a terminal, the table row explains why a picture failed; a line above would only push the rows away.
      if (isForPeople(options) && process.stdout.isTTY && !options.verbose) deferredLine = line;
      else progress.around(line);
    },
    /** Called if there are more pictures than inputs, for example if a PDF contains several. */
    more: (count: number) => progress.more(count),
    examined: (record: AnalysisRecord) => {
      progress.add(record);
      const { error } = record;
      // The run was stopped, or could not continue.
      const isCutOff = error !== null && (error.code === 'cancelled' || concernsWholeRun(error));
      if (!isCutOff) done = withRecord(done, record);
    },
    /** Called in the order of the input. */
    report: async (record: AnalysisRecord) => {
      summary = withRecord(summary, record);
      await write(format.add(record));
    },
    /** Ends the document and prints the summary. */
    finish: async () => {
      progress.end();
      // This was the only picture, so there is no table.
      if (summary.total === 1) deferredLine?.();
      await write(format.end(summary));
      // The card or line of a single picture has been printed, so there is nothing to sum up.
      if (summary.total >= 2) logSummary(summary, options, writeLine(summary));
      leftOutLines(summary, language).forEach(logWrapped);
      return summary;
    },
    /** Prints a summary of what was reported. A table is printed with the rows so far; a document stays truncated. */
    stopped: async ({ code }: ForensicsError) => {
      progress.end();
      if (isForPeople(options) && summary.total > 0) await write(format.end(summary));
      // If the disk fills up before the first picture is done, a separate message says so.
      if (done.total === 0 && code !== 'cancelled') return;
      const words = wordsIn(language).terminal.summary;
      const result = done.total === 0 ? words.noneExamined : writeLine(done);
      logSummary(done, options, `${words.stopped} ${result}`);
    },
    close: () => progress.end(),
  };
}

/** Walks the inputs separately from the run, so that the total is known early and no list has to be stored. */
async function countInputs(
  args: readonly string[],
  { recursive, out }: AnalyzeOptions,
  signal: AbortSignal,
): Promise<number> {
  const walk = walkInputs(args, { recursive, exceptDir: out });
  let total = 0;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, so that nothing is kept
  while (!signal.aborted && !(await walk.next()).done) total++;
  return total;
}

/** Writes above the progress line, and no faster than standard output is read, so that nothing queues here. */
function createWriter(head: string, progress: Progress): (text: string) => Promise<void> {
  let before = head;
  return async (text) => {
    const piece = before + text;
    let isFull = false;
    progress.around(() => {
      isFull = piece !== '' && !process.stdout.write(piece);
    });
    before = '';
    if (isFull) await once(process.stdout, 'drain');
  };
}

function logSummary({ total, counts }: Summary, options: AnalyzeOptions, line: string): void {
  logWrapped(line);
  const { out } = options;
  const { results } = wordsIn(printedLanguage(options)).terminal.summary;
  if (out !== null && total > counts.failed) log(results(out));
}

function logWrapped(line: string): void {
  for (const part of wrapAnsi(line, lineWidth(process.stderr)).split('\n')) log(part);
}

interface OutputFormat {
  readonly head: string;
  /** Called in the order of the input. */
  add(record: AnalysisRecord): string;
  /** In formats for programs, not called after a run was stopped, so that the document is visibly truncated. */
  end(summary: Summary): string;
}

function chooseFormat(options: AnalyzeOptions): OutputFormat {
  if (options.json) return createJsonFormat();
  if (options.jsonl) {
    return { head: '', add: (record) => `${JSON.stringify(record)}\n`, end: () => '' };
  }
  if (options.csv) return createCsvFormat(process.stdout.isTTY);
  return createTextFormat(printedLanguage(options), lineWidth(process.stdout));
}

function isForPeople({ json, jsonl, csv }: AnalyzeOptions): boolean {
  return !json && !jsonl && !csv;
}

/** One document, byte for byte as `JSON.stringify` with two spaces would write it, however many pictures there are. */
function createJsonFormat(): OutputFormat {
  let count = 0;
  return {
    head: '{\n  "analyses": [',
    add: (record) => `${count++ === 0 ? '' : ','}\n    ${indented(record, 4)}`,
    end: ({ counts, notPictures, skipped }) => {
      const totals = { ...counts, notPictures, skipped: skipped.count };
      return `${count === 0 ? '' : '\n  '}],\n  "summary": ${indented(totals, 2)}\n}\n`;
    },
  };
}

function indented(value: unknown, spaces: number): string {
  // Strings contain no line ends, because JSON writes those as \n.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** One picture as a card, several as a table at the end. @param columns - infinite for a file or a pipe. */
function createTextFormat(language: Language, columns: number): OutputFormat {
  const rows: TableRow[] = [];
  let only: AnalysisRecord | null = null;
  return {
    head: '',
    add: (record) => {
      // Skipped files are listed below the table.
      if (record.skipped !== null) return '';
      only = rows.length === 0 ? record : null;
      rows.push(toTableRow(record, language));
      return '';
    },
    end: () => {
      // If the only picture failed, a line has already been printed on stderr, and there is no result to print.
      if (only?.error) return '';
      return only?.verdict
        ? writeCard(only, language, columns)
        : writeTable(rows, language, columns);
    },
  };
}

/** For a terminal, control characters are escaped, because it would act on them; a file gets them unchanged. */
function createCsvFormat(isForTerminal: boolean): OutputFormat {
  const shown = (value: CsvValue) =>
    isForTerminal && typeof value === 'string' ? printable(value) : value;
  return {
    head: csvText([Object.keys(csvColumns)]),
    add: (record) => csvText([Object.values(csvColumns).map((read) => shown(read(record)))]),
    end: () => '',
  };
}

/** Columns never change; new ones are added at the end. */
const csvColumns: Readonly<Record<string, (record: AnalysisRecord) => CsvValue>> = {
  file: ({ file }) => file,
  sha256: ({ sha256 }) => sha256,
  verdict: ({ verdict }) => verdict,
  subClasses: ({ result }) =>
    result?.resultSubClasses.map((n) => resultSubClasses[n]!).join(' ') ?? null,
  reasons: ({ reasons }) => reasons.join(' '),
  fakeProbability: (record) => rounded(generationDecision(record)?.fakeProbability),
  uncertainty: (record) => rounded(generationDecision(record)?.fakeUncertainty),
  width: ({ picture }) => picture?.width ?? null,
  height: ({ picture }) => picture?.height ?? null,
  format: ({ picture }) => picture?.format ?? null,
  bytes: ({ picture }) => picture?.sizeBytes ?? null,
  model: ({ model }) => model && `${model.id} ${model.version}`,
  tier: ({ tier }) => tier,
  seconds: ({ durationMs }) => durationMs / 1000,
  errorCode: ({ error }) => error?.code ?? null,
  errorMessage: ({ error }) => error?.message ?? null,
  changeProbability: (record) => rounded(changeProbability(record)),
  skipped: ({ skipped }) => skipped && Object.values(skipped).join(' '),
  takenFrom: ({ origins }) => origins.map(writeOrigin).join(' > ') || null,
  copyOf: ({ copyOf }) => copyOf?.file ?? null,
  seenBefore: ({ seenBefore = [] }) => {
    const copies = seenBefore.filter(isCopy).map((other) => writeOther(other, 'en'));
    return copies.join('; ') || null;
  },
};

/** `https://example.org/claim.pdf`, `claim.pdf#page=2&picture=1`. */
function writeOrigin(origin: Origin): string {
  if (origin.kind === 'url') return origin.url;
  const { name, page, picture } = origin;
  return `${name}#page=${page}${picture === null ? '' : `&picture=${picture}`}`;
}

/** Null if the table gives no probability, or if the verdict rests on a changed part or a declaration. */
function generationDecision(record: AnalysisRecord): AnalysisRecord['decision'] {
  const result = resultIn(record);
  const isOther = result?.outcome === 'changed' || result?.outcome === 'declared';
  return result === null || result.generated === null || isOther ? null : record.decision;
}

/** Null if the other formats give no such probability. */
function changeProbability(record: AnalysisRecord): number | null {
  const result = resultIn(record);
  return result === null || result.outcome === 'declared' ? null : result.changed;
}

/** Rounded to four digits, because more would be noise. */
function rounded(value: number | null | undefined): CsvValue {
  return value == null ? null : Number(value.toFixed(4));
}
