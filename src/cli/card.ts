/** A card: a title, and rows of a label and what it stands before, wrapped so that the labels stay a column. */

import { paint } from './terminal.ts';
import { wrap } from './wrap.ts';

/** An empty label goes on with the row above. */
export type Row = readonly [label: string, text: string];

const labelWidth = 13;

/** @param columns - width to wrap at; what cannot be parted, a hash or a path, stays whole and may run over. */
export function layCard(title: string, rows: readonly Row[], columns: number): string {
  const colour = paint(process.stdout);
  const width = Math.max(30, Math.min(columns, 100)) - labelWidth;
  const lines = rows.flatMap(([label, text]) =>
    wrap(text, width, text.startsWith('- ') ? '  ' : '').map((part, index) => {
      const head = index === 0 ? label : '';
      return `  ${colour('dim', head.padEnd(labelWidth - 2))}${part}`;
    }),
  );
  return `${[title, ...lines].join('\n')}\n`;
}

/** Several texts under one label are a list. */
export function listRows(label: string, texts: readonly string[]): readonly Row[] {
  if (texts.length === 1) return [[label, texts[0]!]];
  return texts.map((text, index) => [index === 0 ? label : '', `- ${text}`]);
}
