/** Lists to be read, and rules to be written on. */

import type { Block } from './blocks.ts';
import type { Page } from './page.ts';
import { ink, sheet, styles, textWidth } from './sheet.ts';

/** Points by which what belongs to a line above stands further in. */
export const listIndent = 11;
/** Points of a rule with a label before it, and of a free one. */
const form = { labelled: 26, free: 20, labelWidth: 150 } as const;

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
  return labels.length * form.labelled + rules * form.free;
}

export function drawForm(page: Page, { labels, rules, ...block }: Form): void {
  page.reserve(formHeight({ labels, rules, ...block }));
  for (const label of labels) {
    const { y } = page;
    page.mark('P', () => page.put([label], styles.label, sheet.left, y + form.labelled - 14));
    drawRule(page, sheet.left + form.labelWidth, form.labelled);
  }
  for (let rule = 0; rule < rules; rule++) drawRule(page, sheet.left, form.free);
  page.y += 6;
}

function drawRule(page: Page, from: number, height: number): void {
  const y = page.y + height - 4;
  page.decorate(() => {
    page.doc.moveTo(from, y).lineTo(sheet.right, y).lineWidth(0.5).stroke(ink.muted);
  });
  page.y += height;
}
