/** Records as plain text: cards, lists in columns, fields, CSV. */

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { columnsOf, paint, print, printable, printJson } from './terminal.ts';

/** An empty label goes on with the row above. */
export type Row = readonly [label: string, text: string];

/** Cells before a row's text, two of them before its label. */
const usualIndent = 13;
/** Below, every word would stand alone. */
const minColumns = 30;

/** @param columns - width to wrap at; what cannot be parted, a hash or a path, stays whole and may run over. */
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

/** Cells that a row's text gets on a line. */
export function cardWidth(columns: number, indent = usualIndent): number {
  return Math.max(minColumns, Math.min(columns, 100)) - indent;
}

/** Several texts under one label are a list. */
export function listRows(label: string, texts: readonly string[]): readonly Row[] {
  if (texts.length === 1) return [[label, texts[0]!]];
  return texts.map((text, index) => [index === 0 ? label : '', `- ${text}`]);
}

export type CsvValue = string | number | null;

/**
 * CSV as in RFC 4180: comma-separated, CR LF, quoted where needed; safe to open as a spreadsheet.
 *
 * @returns the rows with an end of line each; null is an empty field.
 */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: CsvValue): string {
  const text = typeof value === 'string' ? withoutFormula(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets run text that begins like this as a formula; a leading apostrophe marks it as text.
 *
 * @see OWASP, "CSV Injection", for the characters, full-width ones included.
 */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}

const fieldWidth = 16;

/** Prints one record: as JSON, or each field that is set on a line. */
export function printFields(fields: object, { json }: { readonly json: boolean }): void {
  if (json) return printJson(fields);
  for (const [field, value] of Object.entries(fields)) {
    if (value === null) continue;
    print(`${field.padEnd(fieldWidth)}${printable(lineOf(value))}`.trimEnd());
  }
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Plain columns for lists of records: no frames, so that the output of a pipe can be cut and sorted.

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

function layTable(head: Cells, rows: readonly Cells[], widths: readonly number[]): string {
  return [head, ...rows].map((cells) => layRow(cells, widths)).join('\n');
}

/** A cell that is too long continues on the next line, below itself. */
function layRow(cells: Cells, widths: readonly number[]): string {
  const wrapped = widths.map((width, at) => wrapAnsi(cells[at] ?? '', width).split('\n'));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, at) => padded(wrapped[at]![line] ?? '', width + gap))
      .join('')
      .trimEnd(),
  ).join('\n');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
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
