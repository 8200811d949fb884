/** What a run writes to standard output: one document, in pieces that are written as soon as they are known. */

import { type Language, resultSubClasses } from '../../contract/vocabulary.ts';
import { csvText, type CsvValue } from '../output/layout.ts';
import { lineWidth, printable } from '../output/terminal.ts';
import { writeCard } from './card.ts';
import { type AnalyzeOptions, printedLanguage } from './options.ts';
import { type AnalysisRecord, resultIn } from './record.ts';
import type { Summary } from './reporter.ts';
import { writeTable, type TableRow, toTableRow } from './table.ts';

interface OutputFormat {
  readonly head: string;
  /** In the order of the input. */
  add(record: AnalysisRecord): string;
  /** Not called for programs when a run was stopped: a document that is cut off shows it. */
  end(summary: Summary): string;
}

type FormatOptions = Pick<AnalyzeOptions, 'json' | 'jsonl' | 'csv' | 'lang'>;

export function chooseFormat(options: FormatOptions): OutputFormat {
  const { json, jsonl, csv } = options;
  if (json) return createJsonFormat();
  if (jsonl) return createJsonLinesFormat();
  if (csv) return createCsvFormat(process.stdout.isTTY);
  return createTextFormat(printedLanguage(options), lineWidth(process.stdout));
}

export function isForPeople({
  json,
  jsonl,
  csv,
}: Pick<AnalyzeOptions, 'json' | 'jsonl' | 'csv'>): boolean {
  return !json && !jsonl && !csv;
}

/** One document; its bytes are those of `JSON.stringify` with two spaces, whatever the number of pictures. */
function createJsonFormat(): OutputFormat {
  let count = 0;
  return {
    head: '{\n  "analyses": [',
    add: (record) => `${count++ === 0 ? '' : ','}\n    ${indented(record, 4)}`,
    end: ({ counts }) => `${count === 0 ? '' : '\n  '}],\n  "summary": ${indented(counts, 2)}\n}\n`,
  };
}

function indented(value: unknown, spaces: number): string {
  // No line end can lie inside a string: JSON writes those as \n.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

function createJsonLinesFormat(): OutputFormat {
  return { head: '', add: (record) => `${JSON.stringify(record)}\n`, end: () => '' };
}

/**
 * For a person: one picture as a card, several as a table at the end, with only their rows in memory until then.
 *
 * @param columns - the terminal's width; infinite for a file or a pipe.
 */
function createTextFormat(language: Language, columns: number): OutputFormat {
  const rows: TableRow[] = [];
  let only: AnalysisRecord | null = null;
  return {
    head: '',
    add: (record) => {
      only = rows.length === 0 ? record : null;
      rows.push(toTableRow(record, language));
      return '';
    },
    end: () => {
      // One picture that failed has had its line on stderr; there is no result to print.
      if (only?.error) return '';
      return only !== null && only.verdict !== null
        ? writeCard(only, language, columns)
        : writeTable(rows, language, columns);
    },
  };
}

/** A terminal obeys what a file takes as it is: there, control characters are shown instead. */
function createCsvFormat(isForTerminal: boolean): OutputFormat {
  const shown = (value: CsvValue) =>
    isForTerminal && typeof value === 'string' ? printable(value) : value;
  return {
    head: csvText([csvColumns.map(([name]) => name)]),
    add: (record) => csvText([csvColumns.map(([, read]) => shown(read(record)))]),
    end: () => '',
  };
}

type CsvColumn = readonly [name: string, read: (record: AnalysisRecord) => CsvValue];

/** Never changed: a column is added at the end or not at all. */
const csvColumns: readonly CsvColumn[] = [
  ['file', ({ file }) => file],
  ['sha256', ({ sha256 }) => sha256],
  ['verdict', ({ verdict }) => verdict],
  ['subClasses', writeSubClasses],
  ['reasons', ({ reasons }) => reasons.join(' ')],
  ['fakeProbability', (record) => rounded(generationDecision(record)?.fakeProbability)],
  ['uncertainty', (record) => rounded(generationDecision(record)?.fakeUncertainty)],
  ['width', ({ picture }) => picture?.width ?? null],
  ['height', ({ picture }) => picture?.height ?? null],
  ['format', ({ picture }) => picture?.format ?? null],
  ['bytes', ({ picture }) => picture?.sizeBytes ?? null],
  ['model', ({ model }) => (model === null ? null : `${model.id} ${model.version}`)],
  ['tier', ({ tier }) => tier],
  ['seconds', ({ durationMs }) => durationMs / 1000],
  ['errorCode', ({ error }) => error?.code ?? null],
  ['errorMessage', ({ error }) => error?.message ?? null],
  ['changeProbability', ({ decision }) => rounded(decision?.changeProbability)],
];

function writeSubClasses({ result }: AnalysisRecord): CsvValue {
  return result?.resultSubClasses.map((n) => resultSubClasses[n]!).join(' ') ?? null;
}

/** Null where the table states no probability, and where a changed part or a declaration decided. */
function generationDecision(record: AnalysisRecord): AnalysisRecord['decision'] {
  const result = resultIn(record);
  const isOther = result?.outcome === 'changed' || result?.outcome === 'declared';
  return result === null || result.generated === null || isOther ? null : record.decision;
}

/** To four digits: more than that is noise. */
function rounded(value: number | null | undefined): CsvValue {
  return value == null ? null : Number(value.toFixed(4));
}
