/** How one record is printed: as JSON, or a line a field that is set. */

import { printable } from './printable.ts';
import { print, printJson } from './talk.ts';

const labelWidth = 16;

export function printFields(fields: object, { json }: { readonly json: boolean }): void {
  if (json) return printJson(fields);
  for (const [field, value] of Object.entries(fields)) {
    if (value === null) continue;
    print(`${field.padEnd(labelWidth)}${printable(lineOf(value))}`.trimEnd());
  }
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
