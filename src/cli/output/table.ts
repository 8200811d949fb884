/** Plain columns for lists of records: no frames, so that the output of a pipe can be cut and sorted. */

import Table from 'cli-table3';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
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
  const widths = widest(stringWidth);
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns;
  if (excess <= 0) return widths;
  const least = widest((text) => Math.max(...text.split(' ').map((word) => stringWidth(word))));
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
  const labelWidth = Math.max(...head.map((name) => stringWidth(name))) + gap;
  const records = rows.map((row) =>
    head
      .flatMap((name, at) =>
        wrapAnsi(row[at] ?? '', columns - labelWidth)
          .split('\n')
          .map((part, index) => `${(index === 0 ? name : '').padEnd(labelWidth)}${part}`.trimEnd()),
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
