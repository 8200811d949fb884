/** CSV after RFC 4180: commas, lines that end in CR LF, quotes where a value needs them. */

export type CsvValue = string | number | null;

/** @returns the rows with an end of line each; null is an empty field. */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(value: CsvValue): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
