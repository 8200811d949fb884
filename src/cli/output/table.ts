/** Plain columns for lists of records: no frames, so that the output of a pipe can be cut and sorted. */

import Table from 'cli-table3';
import { printable } from './print.ts';
import { columnsOf } from './terminal.ts';

type Cells = readonly string[];

/** Between two columns. */
const gap = 2;

/**
 * @param columns - what a line may take: texts go on below themselves, and where that is not enough each record becomes a
 * few lines. A word is never cut: an id that lost its end would be none.
 */
export function listTable(
  head: Cells,
  rows: readonly Cells[],
  columns = columnsOf(process.stdout),
): string {
  const safe = rows.map((row) => row.map(printable));
  const widths = widthsFor(head, safe, columns);
  return widths === null ? layRecords(head, safe, columns) : layTable(head, safe, widths);
}

/** Null where not even the longest words of the columns find room beside each other. */
function widthsFor(head: Cells, rows: readonly Cells[], columns: number): number[] | null {
  const widest = (measure: (text: string) => number) =>
    head.map((name, at) =>
      rows.reduce((most, row) => Math.max(most, measure(row[at] ?? '')), measure(name)),
    );
  const widths = widest(cellsOf);
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns;
  if (excess <= 0) return widths;
  const least = widest((text) => Math.max(...text.split(' ').map(cellsOf)));
  while (excess > 0) {
    const slack = widths.map((width, at) => width - least[at]!);
    const at = slack.indexOf(Math.max(...slack));
    if (slack[at]! <= 0) return null;
    // A cell at a time, so that no column is squeezed while another has room.
    widths[at]!--;
    excess--;
  }
  return widths;
}

// The time that the package takes grows with the square of the rows.
const rowsAtOnce = 100;

function layTable(head: Cells, rows: readonly Cells[], widths: readonly number[]): string {
  const parts = [layRows(head, rows.slice(0, rowsAtOnce), widths)];
  for (let at = rowsAtOnce; at < rows.length; at += rowsAtOnce) {
    parts.push(layRows([], rows.slice(at, at + rowsAtOnce), widths));
  }
  return parts.join('\n');
}

function layRows(head: Cells, rows: readonly Cells[], widths: readonly number[]): string {
  const table = new Table({
    head: [...head],
    colWidths: widths.map((width) => width + gap),
    wordWrap: true,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    chars: bare,
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A line a field, an empty one between records. */
function layRecords(head: Cells, rows: readonly Cells[], columns: number): string {
  const labelWidth = Math.max(...head.map(cellsOf)) + gap;
  const records = rows.map((row) =>
    head
      .flatMap((name, at) =>
        wrap(row[at] ?? '', columns - labelWidth).map((part, index) =>
          `${(index === 0 ? name : '').padEnd(labelWidth)}${part}`.trimEnd(),
        ),
      )
      .join('\n'),
  );
  return records.join('\n\n');
}

const bare = Object.fromEntries(
  ['top', 'bottom', 'left', 'right'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((part) => [`${side}${part}`, '']),
  ),
);
Object.assign(bare, { mid: '', 'mid-mid': '', middle: '' });

// How many cells of a terminal a text takes: none for marks that stand on the character before, two for characters of
// East Asian writing and for pictures (Unicode Standard Annex 11 calls them wide).

export function cellsOf(text: string): number {
  if (plain.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += widthOf(character);
  return cells;
}

const plain = /^[\u0020-\u02ff\u2010-\u2026]*$/;
const mark = /\p{M}/u;
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;

function widthOf(character: string): number {
  if (mark.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/**
 * The words of a text in lines of at most `width` cells; a word that is longer stays whole and runs over.
 *
 * @param hanging - what every line but the first begins with.
 */
export function wrap(text: string, width: number, hanging = ''): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (cellsOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(hanging + word);
  }
  return lines;
}
