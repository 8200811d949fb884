import { columnsOf } from '../../output/terminal.ts';
import type { AnalyzeOptions } from '../options.ts';
import type { AnalysisRecord } from '../record.ts';
import type { Tally } from '../summary.ts';
import { createCsvFace } from './csv.ts';
import { cardOf } from './details.ts';
import { tableOf, type TableRow, tableRowOf } from './table.ts';

/** One face a run, so that standard output is one document. */
export function chooseFace({ json, jsonl, csv }: FaceOptions): Face {
  if (json) return createJsonFace();
  if (jsonl) return createJsonLinesFace();
  if (csv) return createCsvFace(process.stdout.isTTY);
  return createTextFace(columnsOf(process.stdout));
}

type FaceOptions = Pick<AnalyzeOptions, 'json' | 'jsonl' | 'csv'>;

export function isForPeople({ json, jsonl, csv }: FaceOptions): boolean {
  return !json && !jsonl && !csv;
}

// A way to tell of a run on standard output: pieces of one document, each printed as soon as it is known.

export interface Face {
  readonly head: string;
  /** In the order of the input. */
  add(record: AnalysisRecord): string;
  /** For programs not asked for when a run was stopped: a document that is cut off shows it. */
  end(tally: Tally): string;
}

/** One document; its bytes are those of `JSON.stringify` with two spaces, whatever the number of pictures. */
export function createJsonFace(): Face {
  let count = 0;
  return {
    head: '{\n  "analyses": [',
    add: (record) => `${count++ === 0 ? '' : ','}\n    ${indented(record, 4)}`,
    end: ({ counts }) => `${count === 0 ? '' : '\n  '}],\n  "summary": ${indented(counts, 2)}\n}\n`,
  };
}

/** One line a picture. */
export function createJsonLinesFace(): Face {
  return { head: '', add: (record) => `${JSON.stringify(record)}\n`, end: () => '' };
}

function indented(value: unknown, spaces: number): string {
  // No line end can lie inside a string: JSON writes those as \n.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

// For a person: one picture is a card, several are a table at the end, with only their rows held until then.

/** @param columns - the terminal's width; infinite for a file or a pipe. */
export function createTextFace(columns: number): Face {
  const rows: TableRow[] = [];
  let only: AnalysisRecord | null = null;
  return {
    head: '',
    add: (record) => {
      only = rows.length === 0 ? record : null;
      rows.push(tableRowOf(record));
      return '';
    },
    end: () => {
      // One picture that failed has had its line on stderr; there is no result to print.
      if (only?.error) return '';
      return only !== null && only.verdict !== null
        ? cardOf(only, columns)
        : tableOf(rows, columns);
    },
  };
}
