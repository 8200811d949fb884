/** The line of contents on the first page: laid out with the titles, filled in when the pages are known. */

import type { Block } from '../../present/sections/blocks.ts';
import type { Surroundings } from './draw-pictures.ts';
import { sheet, styles, textWidth } from './style.ts';

export function drawContents(
  { page, contents, labels }: Surroundings,
  { title }: Extract<Block, { kind: 'contents' }>,
): void {
  // As wide as it can become: two digits a page.
  const text = writeLine(
    title,
    contents.titles.map((each) => labels.contentsEntry(each, '00')),
  );
  const height = page.lines(text, styles.note, textWidth).length * styles.note.leading;
  page.reserve(height);
  contents.slot = { page: page.place().page, y: page.y, title, tag: page.group('P') };
  page.y += height + 4;
}

export function fillContents({ page, contents, labels }: Surroundings): void {
  const { slot, entries, titles } = contents;
  if (slot === null) return;
  const wanted = entries.filter(({ title }) => titles.includes(title));
  const items = wanted.map((one) => labels.contentsEntry(one.title, String(one.page)));
  page.doc.switchToPage(slot.page);
  const lines = page.lines(writeLine(slot.title, items), styles.note, textWidth);
  slot.tag.add(() => page.put(lines, styles.note, sheet.left, slot.y));
  slot.tag.end();
}

/** A number stays on the line of what it counts. */
const noBreak = '\u00a0';

function writeLine(title: string, items: readonly string[]): string {
  return `${title}: ${items.map((item) => item.replace(/ {2}/, noBreak)).join('; ')}`;
}
