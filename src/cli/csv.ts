/** CSV after RFC 4180: commas, lines that end in CR LF, quotes where a value needs them. Safe to open as a spreadsheet. */

export type CsvValue = string | number | null;

/** @returns the rows with an end of line each; null is an empty field. */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: CsvValue): string {
  const text = typeof value === 'string' ? withoutFormula(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets take a text that begins so for a formula and run it; an apostrophe in front tells them that it is text.
 *
 * @see OWASP, "CSV Injection", for the characters, full-width ones included.
 */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}
