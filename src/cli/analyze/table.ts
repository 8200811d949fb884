/** Several pictures at a glance, in as many columns as the terminal has. */

import Table from 'cli-table3';
import { printable } from '../printable.ts';
import { paint, type Style } from '../terminal.ts';
import { isDeclared, noteSentence, verdictStyles } from './card.ts';
import type { AnalysisRecord } from './record.ts';
import { statedProbability } from './stated-probability.ts';
import { declaredRemark, shortReasons } from './words.ts';

/** What is held of a picture until the end of a run: four short texts. */
export interface TableRow {
  readonly file: string;
  readonly verdict: string;
  readonly probability: string;
  readonly remark: string;
}

export function tableRowOf(record: AnalysisRecord): TableRow {
  return {
    file: printable(record.file),
    verdict: verdictOf(record),
    probability: probabilityOf(record),
    remark: remarkOf(record),
  };
}

const head: TableRow = {
  file: 'PICTURE',
  verdict: 'VERDICT',
  probability: 'P(FAKE)',
  remark: 'REMARK',
};
const verdictColumn = 'uncertain'.length + 2;
const probabilityColumn = '0.00 ± 0.00'.length + 2;

/** The package that lays out the table needs some kilobytes a row: it is given this many at a time. */
const rowsAtATime = 500;

/** @param columns - the terminal's width; infinite for a file or a pipe. */
export function tableOf(rows: readonly TableRow[], columns: number): string {
  const widths = widthsOf(rows, columns);
  const parts = [layRows([head], widths)];
  for (let from = 0; from < rows.length; from += rowsAtATime) {
    const some = rows.slice(from, from + rowsAtATime);
    parts.push(layRows(some.map(coloured), widths));
  }
  return parts.join('');
}

/** The same row as a line of its own, where there is no end to wait for. */
export function lineOf(row: TableRow): string {
  const { verdict } = coloured(row);
  const gap = ' '.repeat(verdictColumn - row.verdict.length);
  const figures = row.probability.padEnd(probabilityColumn);
  return `${verdict}${gap}${figures}${row.file}${row.remark === '' ? '' : `  (${row.remark})`}\n`;
}

function layRows(rows: readonly TableRow[], widths: readonly number[]): string {
  const table = new Table({
    colWidths: [...widths],
    wordWrap: true,
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
  });
  for (const { file, verdict, probability, remark } of rows) {
    table.push([middleOf(file, widths[0]! - 2), verdict, probability, remark]);
  }
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A picture that was only handed to a server has no verdict yet. */
function verdictOf({ verdict, error }: AnalysisRecord): string {
  if (error !== null) return 'failed';
  return verdict ?? 'started';
}

const styles: Readonly<Record<string, Style>> = { ...verdictStyles, failed: 'magenta' };

function coloured(row: TableRow): TableRow {
  const style = styles[row.verdict];
  return style === undefined ? row : { ...row, verdict: paint(process.stdout)(style, row.verdict) };
}

function probabilityOf(record: AnalysisRecord): string {
  const stated = statedProbability(record);
  if (stated === null) return '-';
  return `${stated.fakeProbability.toFixed(2)} ± ${stated.fakeUncertainty.toFixed(2)}`;
}

function remarkOf(record: AnalysisRecord): string {
  if (record.error) return printable(record.error.message);
  const { verdict, analysisId, picture } = record;
  if (verdict === null) return analysisId ?? '';
  const reasons = record.reasons.map((reason) => shortReasons[reason]);
  const notes = (picture?.notes ?? []).map((note) => noteSentence(note, record));
  return [...(isDeclared(record) ? [declaredRemark] : []), ...reasons, ...notes].join('; ');
}

/** The names get what they need up to half of the free columns, the remarks the rest. */
function widthsOf(rows: readonly TableRow[], columns: number): readonly number[] {
  const names = columnFor(rows, ({ file }) => file);
  const remarks = columnFor(rows, ({ remark }) => remark);
  const free = Math.max(30, columns - verdictColumn - probabilityColumn);
  const nameColumn = Math.min(names, Math.max(Math.floor(free / 2), free - remarks));
  return [nameColumn, verdictColumn, probabilityColumn, Math.min(remarks, free - nameColumn)];
}

/** The longest text and the gap to the next column. */
function columnFor(rows: readonly TableRow[], textOf: (row: TableRow) => string): number {
  let longest = textOf(head).length;
  for (const row of rows) longest = Math.max(longest, Array.from(textOf(row)).length);
  return longest + 2;
}

/** Both ends of a long name tell more than its beginning: the folder and the number of the picture. */
function middleOf(name: string, width: number): string {
  const characters = Array.from(name);
  if (characters.length <= width) return name;
  const tail = Math.ceil((width - 1) * 0.6);
  const front = width - 1 - tail;
  return `${characters.slice(0, front).join('')}…${characters.slice(-tail).join('')}`;
}

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
