/** How sections and each kind of block look. */

import { drawFigure, placeFigure } from '../heatmap/print-pictures.ts';
import type { Block, Part, Row, Section } from '../../present/sections/blocks.ts';
import { drawGrid, leastGridHeight } from './draw-grid.ts';
import { drawFindings, leastFindingsHeight } from './draw-findings.ts';
import {
  drawHeatmaps,
  leastHeatmapsHeight,
  type Surroundings,
  writeStrips,
} from './draw-pictures.ts';
import {
  drawForm,
  drawList,
  drawTable,
  formHeight,
  listIndent,
  measureRow,
  tableHeight,
} from './draw-tables.ts';
import type { Page } from './page.ts';
import { ink, maxWhole, sheet, type Style, styles, textWidth } from './style.ts';

const gaps = {
  belowTitle: 5,
  belowHeading: 2,
  aboveHeading: 4,
  belowNote: 4,
  belowSection: 10,
} as const;

export function drawSection(around: Surroundings, { title, part, blocks }: Section): void {
  const { page } = around;
  page.reserve(styles.section.leading + gaps.belowTitle + wantedHeight(around, blocks));
  page.bookmark(title);
  around.contents.entries.push({ title, page: page.place().page + 1 });
  const from = page.place();
  drawTitle(around, title, part);
  blocks.forEach((block, at) => drawBlock(around, block, blocks.slice(at + 1)));
  if (part === 'evaluation') page.markMargin(from);
  page.y += gaps.belowSection;
}

function drawTitle({ page, parts }: Surroundings, title: string, part: Part | null): void {
  const { y } = page;
  page.flow('H2', title, styles.section);
  page.y += gaps.belowTitle;
  if (part === null) return;
  const style = part === 'evaluation' ? styles.mark : styles.quietMark;
  const label = parts[part].toUpperCase();
  const width = page.widthOf(label, style);
  page.mark('P', () => page.put([label], style, sheet.right - width, y + 5));
}

const headingHeight = gaps.aboveHeading + styles.heading.leading + gaps.belowHeading;

/** A section that is filled in by hand stays in one piece, and the one of heatmaps begins where its first pictures stand. */
function wantedHeight(around: Surroundings, blocks: readonly Block[]): number {
  if (!blocks.some(({ kind }) => kind === 'form' || kind === 'heatmaps'))
    return leastHeights(around, blocks);
  return blocks.reduce((sum, block) => sum + leastHeight(around, block) + gaps.belowTitle, 0);
}

/** Points that a heading wants on its page for what it heads: the first block, and where that heads another, the next. */
function leastHeights(around: Surroundings, [block, ...rest]: readonly Block[]): number {
  if (block === undefined) return 0;
  const least = leastHeight(around, block);
  const isHead = block.kind === 'heading' || block.kind === 'note' || announces(block);
  return isHead ? least + leastHeights(around, rest) : least;
}

/** A sentence that ends with a colon is worth nothing without what follows. */
function announces(block: Block): boolean {
  return block.kind === 'paragraph' && block.text.endsWith(':');
}

function leastHeight(around: Surroundings, block: Block): number {
  const { page } = around;
  switch (block.kind) {
    case 'heading':
      return headingHeight;
    case 'note':
      return linesHeight(page, block.text, styles.note) + gaps.belowNote;
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
    case 'form':
      return formHeight(block);
    case 'heatmaps':
      return leastHeatmapsHeight(around, block);
    case 'findings':
      return leastFindingsHeight(around, block);
    case 'verdict':
    case 'contents':
      break;
  }
  // These two stand on the first page.
  return 0;
}

/** Whole, so that it is not split; four rows of one that would take too much of a page. */
function leastTableHeight(page: Page, rows: readonly Row[]): number {
  const whole = tableHeight(page, rows);
  if (whole <= maxWhole) return whole;
  return rows.slice(0, 4).reduce((sum, row) => sum + measureRow(page, row).height, 0);
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
      return drawHeatmaps(around, block);
    case 'findings':
      return drawFindings(around, block);
    case 'contents':
      return drawContents(around, block);
    case 'table':
      page.reserve(leastTableHeight(page, block.rows));
      return drawTable(page, block);
    case 'grid':
      return drawGrid(page, block);
    case 'list':
      return drawList(page, block.items);
    case 'form':
      return drawForm(page, block);
    case 'heading':
      page.reserve(headingHeight + leastHeights(around, rest));
      page.y += gaps.aboveHeading;
      page.flow('H3', block.text, styles.heading);
      page.y += gaps.belowHeading;
      return;
    case 'paragraph':
      if (announces(block)) page.reserve(leastHeights(around, [block, ...rest]) + 5);
      page.flow('P', block.text, styles.body);
      page.y += 5;
      return;
    case 'note':
      page.flow('P', block.text, styles.note);
      page.y += gaps.belowNote;
      return;
    case 'command':
      page.flow('P', block.text, styles.entry, { indent: listIndent });
      page.y += 5;
      return;
  }
}

const inset = 10;
const belowHead = 5;
const below = 6;

/** The short result beside the picture. All outcomes look alike on purpose: a red frame would outweigh its figures. */
function drawVerdict(
  around: Surroundings,
  { headline, text, region, caption }: Extract<Block, { kind: 'verdict' }>,
): void {
  const { page, images, size, labels } = around;
  const { doc } = page;
  const isUpright = size.height > size.width;
  const placement = placeFigure(size, { width: 190, height: isUpright ? 132 : 120 });
  const wordsWidth = textWidth - 3 * inset - placement.width;
  const head = page.lines(headline, styles.headline, wordsWidth);
  const words = page.lines(text, styles.body, wordsWidth);
  const captions = page.lines(
    `${caption}${writeStrips(around, placement)}`,
    styles.note,
    placement.width,
  );
  const headHeight = head.length * styles.headline.leading + belowHead;
  const wordsHeight = headHeight + words.length * styles.body.leading;
  const figureHeight = placement.height + 3 + captions.length * styles.note.leading;
  const height = Math.max(wordsHeight, figureHeight) + 2 * inset;
  page.reserve(height + below);
  const left = sheet.left + inset;
  const top = page.y + inset;
  page.decorate(() => {
    doc.rect(sheet.left, page.y, textWidth, height).fill(ink.panel);
    doc.rect(sheet.left, page.y, 3, height).fill(ink.accent);
  });
  page.mark('P', () => page.put(head, styles.headline, left, top));
  page.mark('P', () => page.put(words, styles.body, left, top + headHeight));
  const x = sheet.right - inset - placement.width;
  const figure = { image: images.original, size, placement, x, y: top, outline: region };
  page.mark('Figure', () => drawFigure(doc, figure), { alt: labels.original });
  page.mark('Caption', () => page.put(captions, styles.note, x, top + placement.height + 3));
  page.y += height + below;
}

/** The line of contents: laid out with the titles, filled in when the pages are known. */
function drawContents(
  { page, contents, labels }: Surroundings,
  { title }: Extract<Block, { kind: 'contents' }>,
): void {
  // As wide as it can become: two digits a page.
  const text = writeContents(
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
  const lines = page.lines(writeContents(slot.title, items), styles.note, textWidth);
  slot.tag.add(() => page.put(lines, styles.note, sheet.left, slot.y));
  slot.tag.end();
}

/** A number stays on the line of what it counts. */
const noBreak = '\u00a0';

function writeContents(title: string, items: readonly string[]): string {
  return `${title}: ${items.map((item) => item.replace(/ {2}/, noBreak)).join('; ')}`;
}
