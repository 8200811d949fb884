/** Several pictures at a glance, in as many columns as the terminal has. */

import { dirname } from 'node:path';
import Table from 'cli-table3';
import { printable } from '../printable.ts';
import { paint } from '../terminal.ts';
import { isDeclared, noteSentence, verdictStyles } from './card.ts';
import { type AnalysisRecord, countsOf } from './record.ts';
import { declaredRemark, shortReasons } from './words.ts';

const head = ['PICTURE', 'VERDICT', 'P(FAKE)', 'REMARK'];
const verdictColumn = 'uncertain'.length + 2;
const probabilityColumn = '0.00 ± 0.00'.length + 2;

/** @param columns - the terminal's width; infinite for a file or a pipe. */
export function tableOf(records: readonly AnalysisRecord[], columns: number): string {
  const widths = widthsOf(records, columns);
  const table = new Table({
    head,
    colWidths: widths,
    wordWrap: true,
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
  });
  for (const record of records) {
    table.push([
      middleOf(printable(record.file), widths[0]! - 2),
      verdictOf(record),
      probabilityOf(record),
      remarkOf(record),
    ]);
  }
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n\n${summaryOf(records)}\n${placeOf(records)}`;
}

/** `5 pictures: 2 real, 1 fake, 2 failed` */
function summaryOf(records: readonly AnalysisRecord[]): string {
  const told = Object.entries(countsOf(records)).filter(([, count]) => count > 0);
  const counts = told.map(([word, count]) => `${count} ${word}`).join(', ');
  return `${records.length} ${records.length === 1 ? 'picture' : 'pictures'}: ${counts}`;
}

function placeOf(records: readonly AnalysisRecord[]): string {
  const file = records.flatMap(({ files }) => files)[0];
  return file === undefined
    ? ''
    : `Results in ${printable(dirname(dirname(file)))}, a folder for each picture\n`;
}

function verdictOf({ verdict }: AnalysisRecord): string {
  const colour = paint(process.stdout);
  return verdict === null ? colour('magenta', 'failed') : colour(verdictStyles[verdict], verdict);
}

function probabilityOf(record: AnalysisRecord): string {
  const { verdict, decision } = record;
  if (decision === null || verdict === 'abstain' || isDeclared(record)) return '-';
  return `${decision.fakeProbability.toFixed(2)} ± ${decision.fakeUncertainty.toFixed(2)}`;
}

function remarkOf(record: AnalysisRecord): string {
  if (record.error) return printable(record.error.message);
  const reasons = record.reasons.map((reason) => shortReasons[reason]);
  const notes = (record.picture!.notes ?? []).map((note) => noteSentence(note, record));
  return [...(isDeclared(record) ? [declaredRemark] : []), ...reasons, ...notes].join('; ');
}

/** The names get what they need up to half of the free columns, the remarks the rest. */
function widthsOf(records: readonly AnalysisRecord[], columns: number): number[] {
  const names = columnFor([head[0]!, ...records.map(({ file }) => printable(file))]);
  const remarks = columnFor([head[3]!, ...records.map(remarkOf)]);
  const free = Math.max(30, columns - verdictColumn - probabilityColumn);
  const nameColumn = Math.min(names, Math.max(Math.floor(free / 2), free - remarks));
  return [nameColumn, verdictColumn, probabilityColumn, Math.min(remarks, free - nameColumn)];
}

/** The longest text and the gap to the next column. */
function columnFor(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => Array.from(text).length)) + 2;
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
