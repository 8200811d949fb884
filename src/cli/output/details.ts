/** A card: a title, and rows of a label and what it stands before, wrapped so that the labels stay a column. */

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { print, printable, printJson } from './print.ts';
import { paint } from './terminal.ts';

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
