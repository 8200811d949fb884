/** For a person: one picture is a card, several are a table at the end, with only their rows held until then. */

import { cardOf } from '../card.ts';
import type { AnalysisRecord } from '../record.ts';
import { lineOf, type TableRow, tableOf, tableRowOf } from '../table.ts';
import type { Face } from './face.ts';

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

/** For a person who watches a folder: a line a picture, since there is no end. */
export function createListFace(): Face {
  return { head: '', add: (record) => lineOf(tableRowOf(record)), end: () => '' };
}
