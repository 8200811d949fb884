/** What the program says: results on standard output, talk on standard error, so that results can be piped. */

import { printable } from './printable.ts';
import { switches } from './switches.ts';

/** Nothing with `--quiet`. */
export function say(text: string): void {
  if (switches().quiet) return;
  process.stderr.write(`${printable(text)}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
