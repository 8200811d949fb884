/** Lists to be read, and rules to be written on. */

import type { Block } from './blocks.ts';
import type { Page } from './page.ts';
import { ink, sheet, styles, textWidth } from './sheet.ts';

/** Points by which what belongs to a line above stands further in. */
export const listIndent = 11;
const formLine = { height: 24, labelWidth: 150 } as const;

export function drawList(page: Page, items: readonly string[]): void {
  const list = page.group('L');
  for (const text of items) {
    const lines = page.lines(text, styles.body, textWidth - listIndent).length;
    const item = page.group('LI', list);
    page.reserve(Math.min(lines * styles.body.leading, 2 * styles.body.leading));
    page.mark('Lbl', () => page.put(['–'], styles.body, sheet.left, page.y), { parent: item });
    page.flow('LBody', text, styles.body, { parent: item, indent: listIndent });
    item.end();
    page.y += 2.5;
  }
  list.end();
  page.y += 4;
}

type Form = Extract<Block, { kind: 'form' }>;

export function formHeight({ labels, rules }: Form): number {
  return (labels.length + rules) * formLine.height;
}

export function drawForm(page: Page, form: Form): void {
  page.reserve(formHeight(form));
  const { labels, rules } = form;
  for (const label of [...labels, ...Array.from({ length: rules }, () => '')]) {
    const base = page.y + formLine.height - 4;
    const { y } = page;
    if (label !== '') page.mark('P', () => page.put([label], styles.label, sheet.left, y + 9));
    const from = sheet.left + (label === '' ? 0 : formLine.labelWidth);
    page.decorate(() => {
      page.doc.moveTo(from, base).lineTo(sheet.right, base).lineWidth(0.5).stroke(ink.muted);
    });
    page.y += formLine.height;
  }
  page.y += 6;
}
