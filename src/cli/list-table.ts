/** Plain columns for lists of records: no frames, so that the output of a pipe can be cut and sorted. */

import Table from 'cli-table3';
import { printable } from './printable.ts';

export function listTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: bare,
  });
  for (const row of rows) table.push(row.map(printable));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const bare = Object.fromEntries(
  ['top', 'bottom', 'left', 'right'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((part) => [`${side}${part}`, '']),
  ),
);
Object.assign(bare, { mid: '', 'mid-mid': '', middle: '' });
