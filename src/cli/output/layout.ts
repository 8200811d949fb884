/** Lays out records as plain text (cards, lists in columns, fields), and the pages of the manual. */

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { type Block, blocksIn } from '../../present/manual.ts';
import { lineWidth, log, paint, print, printable, printJson } from './terminal.ts';

/** A row of a card. If the label is empty, the row continues the row above. */
export type Row = readonly [label: string, text: string];

/** Width of the margin before a row's text: two spaces, then its label. */
const usualIndent = 13;
const minColumns = 30;

/** A title, and rows of labels and texts. @param columns - width to wrap at; long hashes and paths are not broken. */
export function layCard(title: string, rows: readonly Row[], columns: number): string {
  const colour = paint(process.stdout);
  const indent = Math.max(usualIndent, ...rows.map(([label]) => 3 + stringWidth(label)));
  const width = cardWidth(columns, indent);
  const lines = rows.flatMap(([label, text]) => {
    const bullet = text.startsWith('- ') ? '- ' : '';
    const parts = wrapAnsi(text.slice(bullet.length), width - bullet.length).split('\n');
    return parts.map((part, index) => {
      const head = index === 0 ? label : '';
      const start = index === 0 ? bullet : ' '.repeat(bullet.length);
      return `  ${colour('dim', head.padEnd(indent - 2))}${start}${part}`;
    });
  });
  return `${[wrapAnsi(title, Math.max(minColumns, columns)), ...lines].join('\n')}\n`;
}

export function printCard(title: string, rows: readonly Row[]): void {
  process.stdout.write(layCard(title, rows, lineWidth(process.stdout)));
}

export function cardWidth(columns: number, indent = usualIndent): number {
  return Math.max(minColumns, Math.min(columns, 100)) - indent;
}

/** Several texts under one label become a bulleted list. */
export function listRows(label: string, texts: readonly string[]): readonly Row[] {
  if (texts.length === 1) return [[label, texts[0]!]];
  return texts.map((text, index) => [index === 0 ? label : '', `- ${text}`]);
}

const fieldWidth = 16;

export function printFields(fields: object, { json }: { readonly json: boolean }): void {
  if (json) return printJson(fields);
  for (const [field, value] of Object.entries(fields)) {
    if (value === null) continue;
    const other = typeof value === 'string' ? value : JSON.stringify(value);
    const text = Array.isArray(value) ? value.join(', ') : other;
    print(`${field.padEnd(fieldWidth)}${printable(text)}`.trimEnd());
  }
}

/** How a list shows a record: the text of each column, by its heading. */
export type Columns<T> = Readonly<Record<string, (record: T) => string>>;

export function printList<T>(
  records: readonly T[],
  columns: Columns<T>,
  { json, none = '' }: { readonly json: boolean; readonly none?: string },
): void {
  if (json) return printJson(records);
  if (records.length === 0 && none !== '') return log(none);
  print(toList(records, columns));
}

export function toList<T>(records: readonly T[], columns: Columns<T>): string {
  const cells = Object.values(columns);
  const rows = records.map((record) => cells.map((cell) => cell(record)));
  return listTable(Object.keys(columns), rows);
}

export type Cells = readonly string[];

export const gap = 2;

/**
 * A list in columns without frames, so that its output can be cut and sorted. Longer texts are wrapped within their
 * column and, if that is not enough, each record takes several lines. Words are never cut: part of an id is useless.
 */
export function listTable(
  head: Cells,
  rows: readonly Cells[],
  columns = lineWidth(process.stdout),
): string {
  const safe = rows.map((row) => row.map(printable));
  const widths = widthsFor(head, safe, columns);
  if (widths === null) return layRecords(head, safe, columns);
  return [head, ...safe].map((cells) => layRow(cells, widths)).join('\n');
}

/** Null if the columns are too narrow even for their longest words. */
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
    // Takes a space from the column with the most slack.
    widths[at]!--;
    excess--;
  }
  return widths;
}

/** Text that is too long for its cell continues below, in the same column of the next line. */
export function layRow(cells: Cells, widths: readonly number[]): string {
  const wrapped = widths.map((width, at) => {
    const cell = cells[at] ?? '';
    // Wrapping is slow, and a table may have a hundred thousand rows.
    return stringWidth(cell) <= width ? [cell] : wrapAnsi(cell, width).split('\n');
  });
  const height = Math.max(...wrapped.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, line) => {
    const padded = widths.map((width, at) => {
      const text = wrapped[at]![line] ?? '';
      return text + ' '.repeat(Math.max(0, width + gap - stringWidth(text)));
    });
    return padded.join('').trimEnd();
  });
  return lines.join('\n');
}

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

/** Lays out Markdown as plain text: headings in capitals at the margin, everything else indented. */
export function layMarkdown(markdown: string, columns: number): string {
  const blocks = blocksIn(markdown).map((block) => {
    if (block.is === 'heading') return inline(block.text).toUpperCase();
    return layLines(block, columns - indent.length)
      .map(indented)
      .join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

const indent = '  ';

const indented = (line: string) => (line === '' ? '' : indent + line);

function layLines(block: Exclude<Block, { is: 'heading' }>, width: number): readonly string[] {
  switch (block.is) {
    case 'code':
      return block.text.split('\n').map(indented);
    case 'table': {
      const rows = block.rows.map((row) => row.map(inline));
      return listTable(block.head.map(inline), rows, width).split('\n');
    }
    case 'list':
      return block.items.flatMap((item, at) => {
        const mark = block.isOrdered ? `${at + 1}. ` : '- ';
        return wrap(inline(item), width - mark.length).map(
          (line, part) => (part === 0 ? mark : ' '.repeat(mark.length)) + line,
        );
      });
    case 'paragraph':
    default:
      return wrap(inline(block.text), width);
  }
}

/** Replaces a link by the command that prints the page, or by its address. */
function inline(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\(([a-z-]+)\.md(?:#[^)]*)?\)/g, '$1 (forensics help $2)')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\*([^*\s][^*]*)\*/g, '$1');
}

const wrap = (text: string, columns: number) => wrapAnsi(text, columns).split('\n');
