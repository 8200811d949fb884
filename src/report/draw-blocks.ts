/** How sections and each kind of block look. */

import type { Block, Part, Row, Section } from './blocks.ts';
import { drawGrid, leastGridHeight } from './draw-grid.ts';
import { drawHeatmaps, type Surroundings } from './draw-heatmap.ts';
import { drawTable, measureRow } from './draw-table.ts';
import { drawFigure, placeFigure } from './figure.ts';
import { ink, type Page, sheet, type Style, styles, textWidth } from './page.ts';

const gaps = { belowTitle: 5, belowHeading: 2, aboveHeading: 4, belowSection: 13 } as const;
const listIndent = 11;
const formLine = { height: 24, labelWidth: 150 } as const;

export function drawSection(around: Surroundings, { title, part, blocks }: Section): void {
  const { page } = around;
  page.reserve(styles.section.leading + gaps.belowTitle + wantedHeight(page, blocks));
  page.bookmark(title);
  const from = page.place();
  drawTitle(around, title, part);
  blocks.forEach((block, at) => drawBlock(around, block, blocks.slice(at + 1)));
  if (part === 'evaluation') page.markMargin(from);
  page.y += gaps.belowSection;
}

function drawTitle({ page, prose }: Surroundings, title: string, part: Part | null): void {
  const { y } = page;
  page.flow('H2', title, styles.section);
  page.y += gaps.belowTitle;
  if (part === null) return;
  const style = part === 'evaluation' ? styles.mark : styles.quietMark;
  const label = prose.parts[part].toUpperCase();
  const width = page.widthOf(label, style);
  page.mark('P', () => page.put([label], style, sheet.right - width, y + 5));
}

const headingHeight = gaps.aboveHeading + styles.entry.leading + gaps.belowHeading;

/** A section that is filled in by hand stays in one piece. */
function wantedHeight(page: Page, blocks: readonly Block[]): number {
  if (!blocks.some(({ kind }) => kind === 'form')) return leastHeights(page, blocks);
  return blocks.reduce((sum, block) => sum + leastHeight(page, block) + gaps.belowTitle, 0);
}

/** Points that a heading wants on its page for what it heads: the first block, and where that heads another, the next. */
function leastHeights(page: Page, [block, ...rest]: readonly Block[]): number {
  if (block === undefined) return 0;
  const least = leastHeight(page, block);
  const isHead = block.kind === 'heading' || block.kind === 'note';
  return isHead ? least + leastHeights(page, rest) : least;
}

function leastHeight(page: Page, block: Block): number {
  switch (block.kind) {
    case 'heading':
      return headingHeight;
    case 'note':
      return linesHeight(page, block.text, styles.note);
    case 'command':
      return styles.entry.leading;
    case 'paragraph':
      return Math.min(linesHeight(page, block.text, styles.body), 6 * styles.body.leading);
    case 'list':
      return 3 * styles.body.leading;
    case 'table':
      return leastTableHeight(page, block.rows);
    case 'grid':
      return leastGridHeight(page, block);
    case 'entry':
      return entryHeight(page, block);
    case 'form':
      return formHeight(block);
    case 'verdict':
    case 'heatmaps':
      break;
  }
  // These two see to their own height.
  return 0;
}

/** Four rows, or as many as make five lines. */
function leastTableHeight(page: Page, rows: readonly Row[]): number {
  let height = 0;
  for (const row of rows.slice(0, 4)) {
    if (height >= 5 * styles.cell.leading) break;
    height += measureRow(page, row).height;
  }
  return height;
}

function linesHeight(page: Page, text: string, style: Style, width = textWidth): number {
  return page.lines(text, style, width).length * style.leading;
}

function drawBlock(around: Surroundings, block: Block, rest: readonly Block[]): void {
  const { page } = around;
  switch (block.kind) {
    case 'verdict':
      return drawVerdict(around, block);
    case 'heatmaps':
      return drawHeatmaps(around, block.maps);
    case 'table':
      return drawTable(page, block.rows);
    case 'grid':
      return drawGrid(page, block);
    case 'list':
      return drawList(page, block.items);
    case 'form':
      return drawForm(page, block);
    case 'heading':
      page.reserve(headingHeight + leastHeights(page, rest));
      page.y += gaps.aboveHeading;
      page.flow('H3', block.text, styles.entry);
      page.y += gaps.belowHeading;
      return;
    case 'paragraph':
      page.flow('P', block.text, styles.body);
      page.y += 5;
      return;
    case 'note':
      page.flow('P', block.text, styles.note);
      page.y += 4;
      return;
    case 'command':
      page.flow('P', block.text, styles.entry, { indent: listIndent });
      page.y += 5;
      return;
    case 'entry':
      drawEntry(page, block);
  }
}

interface Entry {
  readonly title: string;
  readonly text: string;
  readonly note: string;
}

function entryParts({ title, text, note }: Entry) {
  return [
    ['H4', title, styles.entry],
    ['P', text, styles.body],
    ['P', note, styles.note],
  ] as const;
}

function entryHeight(page: Page, entry: Entry): number {
  return entryParts(entry).reduce(
    (sum, [, part, style]) => sum + linesHeight(page, part, style),
    0,
  );
}

function drawEntry(page: Page, entry: Entry): void {
  const height = entryHeight(page, entry);
  // Kept in one piece, unless it were longer than a page.
  if (height < sheet.bottom - sheet.top) page.reserve(height);
  for (const [tag, part, style] of entryParts(entry)) page.flow(tag, part, style);
  page.y += 8;
}

function drawList(page: Page, items: readonly string[]): void {
  const list = page.group('L');
  for (const text of items) {
    const item = page.group('LI', list);
    page.reserve(
      Math.min(
        linesHeight(page, text, styles.body, textWidth - listIndent),
        2 * styles.body.leading,
      ),
    );
    page.mark('Lbl', () => page.put(['–'], styles.body, sheet.left, page.y), { parent: item });
    page.flow('LBody', text, styles.body, { parent: item, indent: listIndent });
    item.end();
    page.y += 2.5;
  }
  list.end();
  page.y += 4;
}

type Form = Extract<Block, { kind: 'form' }>;

function formHeight({ labels, rules }: Form): number {
  return (labels.length + rules) * formLine.height;
}

function drawForm(page: Page, form: Form): void {
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

/** One look for all four outcomes on purpose: a red frame would weigh more than its figures. */
function drawVerdict(
  { page, images, size, labels }: Surroundings,
  { headline, text }: { readonly headline: string; readonly text: string },
): void {
  const { doc } = page;
  const inset = 14;
  const placement = placeFigure(size, { width: 150, height: 120 });
  const wordsWidth = textWidth - 3 * inset - placement.width;
  const head = page.lines(headline, styles.headline, wordsWidth);
  const words = page.lines(text, styles.body, wordsWidth);
  const headHeight = head.length * styles.headline.leading + gaps.belowTitle;
  const wordsHeight = headHeight + words.length * styles.body.leading;
  const height = Math.max(wordsHeight, placement.height) + 2 * inset;
  page.reserve(height + 10);
  const left = sheet.left + inset;
  const top = page.y + inset;
  page.decorate(() => {
    doc.rect(sheet.left, page.y, textWidth, height).fill(ink.panel);
    doc.rect(sheet.left, page.y, 3, height).fill(ink.accent);
  });
  page.mark('P', () => page.put(head, styles.headline, left, top));
  page.mark('P', () => page.put(words, styles.body, left, top + headHeight));
  const x = sheet.right - inset - placement.width;
  const figure = { image: images.original, size, placement, x, y: top };
  page.mark('Figure', () => drawFigure(doc, figure), { alt: labels.original });
  page.y += height + 10;
}
