/** Help laid out for the terminal that shows it. */

import { columnsOf } from './terminal.ts';
import { wrap } from './wrap.ts';

/** What a file or a pipe gets, where nobody tells a width. */
const plainColumns = 80;
/** Longer lines are hard to read. */
const mostColumns = 100;
/** Below, every word would stand alone. */
const leastColumns = 40;

export function helpWidth(): number {
  const columns = columnsOf(process.stdout);
  if (!Number.isFinite(columns)) return plainColumns;
  return Math.max(leastColumns, Math.min(columns, mostColumns));
}

/**
 * Paragraphs are the runs of lines that begin at the margin; each is wrapped anew. What is indented stays as it stands:
 * options are laid out already, and an example is copied as a whole.
 */
export function layHelp(text: string, columns: number): string {
  const laid: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) laid.push(...wrap(paragraph.join(' '), columns));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
    } else {
      flush();
      laid.push(line);
    }
  }
  flush();
  return laid.join('\n');
}
