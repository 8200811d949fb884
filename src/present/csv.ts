/** Tables for spreadsheets and programs. */

export type CsvValue = string | number | null;

/**
 * CSV as in RFC 4180: comma-separated, CR LF, quoted where needed; safe to open as a spreadsheet.
 *
 * @returns each row with a line break; null is an empty field.
 */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: CsvValue): string {
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
