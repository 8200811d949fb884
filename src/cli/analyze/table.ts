/** Several pictures at a glance, in as many columns as the terminal has. */

import type { ReasonCode } from '../../contract/vocabulary.ts';
import { printable } from '../output/print.ts';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { paint, type Style } from '../output/terminal.ts';
import type { AnalysisRecord } from './record.ts';
import {
  noteSentence,
  verdictStyles,
  basisOfFake,
  statedProbability,
  wordProbability,
} from './details.ts';

/** What stays in memory of a picture until the end of a run: four short texts. */
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
/** Between two columns. */
const gap = 2;
const verdictColumn = 'uncertain'.length + gap;
const probabilityColumn = '0.00 ± 0.00'.length + gap;

/** @param columns - the terminal's width; infinite for a file or a pipe. */
export function tableOf(rows: readonly TableRow[], columns: number): string {
  const widths = widthsOf(rows, columns);
  return [head, ...rows].map((row) => layRow(row, widths)).join('');
}

/** A remark goes on below itself. By hand, because a package that lays out any table takes minutes for 100,000 rows. */
function layRow(row: TableRow, [name, verdict, probability, remark]: Widths): string {
  const [first = '', ...more] = wrapAnsi(row.remark, remark - gap).split('\n');
  const left = [
    padded(middleOf(row.file, name - gap), name),
    coloured(row) + ' '.repeat(verdict - row.verdict.length),
    padded(row.probability, probability),
  ];
  const below = more.map((line) => ' '.repeat(name + verdict + probability) + line);
  return [left.join('') + first, ...below].map((line) => `${line.trimEnd()}\n`).join('');
}

/** A picture that was only handed to a server has no verdict yet. */
function verdictOf({ verdict, error }: AnalysisRecord): string {
  if (error !== null) return 'failed';
  return verdict ?? 'started';
}

const styles: Readonly<Record<string, Style>> = { ...verdictStyles, failed: 'magenta' };

function coloured({ verdict }: TableRow): string {
  const style = styles[verdict];
  return style === undefined ? verdict : paint(process.stdout)(style, verdict);
}

function probabilityOf(record: AnalysisRecord): string {
  const stated = statedProbability(record);
  if (stated === null) return '-';
  return wordProbability(stated);
}

function remarkOf(record: AnalysisRecord): string {
  if (record.error) return printable(record.error.message);
  const { verdict, analysisId, picture } = record;
  if (verdict === null) return analysisId ?? '';
  const reasons = record.reasons.map((reason) => shortReasons[reason]);
  const notes = (picture?.notes ?? []).map((note) => noteSentence(note, record));
  return [...basisRemark(record), ...reasons, ...notes].join('; ');
}

function basisRemark(record: AnalysisRecord): readonly string[] {
  const basis = basisOfFake(record);
  if (basis === 'declaration') return ['declared by the file itself'];
  return basis === 'localisation' ? ['changed in part'] : [];
}

/** For a narrow column; the full sentences are the report's. */
export const shortReasons: Readonly<Record<ReasonCode, string>> = {
  too_small: 'too small',
  too_compressed: 'too compressed',
  no_usable_trace: 'no usable trace',
  not_a_photograph: 'not a photograph',
  outside_training_domain: 'unlike validated pictures',
  margin_within_uncertainty: 'margin within uncertainty',
  evidence_below_threshold: 'evidence below threshold',
  unstable_under_resaving: 'unstable when saved again',
  declaration_contradicts_traces: 'declared as generated, traces disagree',
  manipulation_suspected: 'signs of a local change',
  single_weak_method: 'one method alone, and weakly',
};

type Widths = readonly [name: number, verdict: number, probability: number, remark: number];

/** The names get what they need up to half of the free columns, the remarks the rest. */
function widthsOf(rows: readonly TableRow[], columns: number): Widths {
  const names = columnFor(rows, ({ file }) => file);
  const remarks = columnFor(rows, ({ remark }) => remark);
  const free = Math.max(30, columns - verdictColumn - probabilityColumn);
  const nameColumn = Math.min(names, Math.max(Math.floor(free / 2), free - remarks));
  return [nameColumn, verdictColumn, probabilityColumn, Math.min(remarks, free - nameColumn)];
}

/** The longest text and the gap to the next column. */
function columnFor(rows: readonly TableRow[], textOf: (row: TableRow) => string): number {
  let longest = textOf(head).length;
  for (const row of rows) longest = Math.max(longest, stringWidth(textOf(row)));
  return longest + gap;
}

/** Both ends of a long name identify it better than its beginning: the folder and the number of the picture. */
function middleOf(name: string, width: number): string {
  if (stringWidth(name) <= width) return name;
  const characters = Array.from(name);
  const tail = cutTo(characters.toReversed(), Math.ceil((width - 1) * 0.6)).toReversed();
  const front = cutTo(characters, width - 1 - stringWidth(tail.join('')));
  return `${front.join('')}…${tail.join('')}`;
}

/** As many characters from the beginning as fit into `width` cells. */
function cutTo(characters: readonly string[], width: number): readonly string[] {
  let cells = 0;
  const end = characters.findIndex((character) => (cells += stringWidth(character)) > width);
  return end === -1 ? characters : characters.slice(0, end);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
