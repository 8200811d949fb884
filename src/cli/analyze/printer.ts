/** The three ways to print a run: for a person, as one JSON document, as one JSON line a picture. */

import { columnsOf } from '../terminal.ts';
import { cardOf } from './card.ts';
import { type AnalysisRecord, countsOf } from './record.ts';
import { tableOf } from './table.ts';

export interface Printer {
  /** In the order of the input. */
  add(record: AnalysisRecord): void;
  end(records: readonly AnalysisRecord[]): void;
}

export type Face = 'text' | 'json' | 'jsonl';

export function createPrinter(face: Face): Printer {
  return printers[face];
}

const printers: Readonly<Record<Face, Printer>> = {
  text: { add: () => undefined, end: printText },
  json: { add: () => undefined, end: printDocument },
  jsonl: { add: (record) => print(JSON.stringify(record)), end: () => undefined },
};

function printDocument(analyses: readonly AnalysisRecord[]): void {
  print(JSON.stringify({ analyses, summary: countsOf(analyses) }, null, 2));
}

/** One picture that failed has had its line on stderr; there is no result to print. */
function printText(records: readonly AnalysisRecord[]): void {
  const columns = columnsOf(process.stdout);
  const only = records.length === 1 ? records[0] : undefined;
  if (only?.error) return;
  process.stdout.write(only ? cardOf(only, columns) : tableOf(records, columns));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
