/** The figures of a model card: the part between the two marks is measured, the rest is written by hand. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export const marks = ['<!-- measured -->', '<!-- end of measured -->'] as const;

/** Does nothing if the model has no card, or its card no such marks. */
export function writeIntoCard(file: string, markdown: string): void {
  const card = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [begin, end] = [card.indexOf(marks[0]), card.indexOf(marks[1])];
  if (begin < 0 || end < begin) return;
  const before = card.slice(0, begin + marks[0].length);
  writeFileSync(file, `${before}\n\n${markdown}\n\n${card.slice(end)}`);
}
