/** How each kind of block looks. */

import { drawFigure, placeFigure } from './figure.ts';
import { drawHeatmap, type Surroundings } from './draw-heatmap.ts';
import { ink, type Page, sheet, styles, type Tag, textWidth } from './page.ts';
import type { Block, Row, Section } from './sections.ts';

/** Leaves the value just the room for the 64 digits of a checksum on one line. */
const labelWidth = 156;
const cellGap = 10;
const valueX = sheet.left + labelWidth + cellGap;
const bar = { width: 96, height: 5, gap: 14 };
const rowPadding = 2.6;
const belowTitle = 5;

export function drawSection(around: Surroundings, { title, blocks }: Section): void {
  const { page } = around;
  page.reserve(styles.section.leading + belowTitle + firstHeight(page, blocks[0]));
  page.bookmark(title);
  page.flow('H2', title, styles.section);
  page.y += belowTitle;
  for (const block of blocks) drawBlock(around, block);
  page.y += 14;
}

/** A heading stays with what it heads; a verdict and a heatmap see to their own height. */
function firstHeight(page: Page, block: Block | undefined): number {
  if (block?.kind === 'table') {
    return block.rows.slice(0, 2).reduce((sum, row) => sum + measureRow(page, row).height, 0);
  }
  if (block?.kind !== 'paragraph') return 60;
  return Math.min(page.lines(block.text, styles.body, textWidth).length, 6) * styles.body.leading;
}

function drawBlock(around: Surroundings, block: Block): void {
  const { page } = around;
  switch (block.kind) {
    case 'verdict':
      return drawVerdict(around, block);
    case 'heatmap':
      return drawHeatmap(around, block);
    case 'table':
      return drawTable(page, block.rows);
    case 'paragraph':
      page.flow('P', block.text, styles.body);
      page.y += 5;
      return;
    case 'note':
      page.flow('P', block.text, styles.note);
      page.y += 4;
      return;
    case 'entry':
      drawEntry(page, block);
  }
}

function drawEntry(
  page: Page,
  { title, text, note }: { readonly title: string; readonly text: string; readonly note: string },
): void {
  const parts = [
    ['H3', title, styles.entry],
    ['P', text, styles.body],
    ['P', note, styles.note],
  ] as const;
  const height = parts.reduce(
    (sum, [, part, style]) => sum + page.lines(part, style, textWidth).length * style.leading,
    0,
  );
  // Kept in one piece, unless it were longer than a page.
  if (height < sheet.bottom - sheet.top) page.reserve(height);
  for (const [tag, part, style] of parts) page.flow(tag, part, style);
  page.y += 8;
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
  const headHeight = head.length * styles.headline.leading + belowTitle;
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

function drawTable(page: Page, rows: readonly Row[]): void {
  const table = page.group('Table');
  for (const row of rows) drawRow(page, table, row);
  table.end();
  page.y += 6;
}

function drawRow(page: Page, table: Tag, row: Row): void {
  const { doc } = page;
  const { label, value, height } = measureRow(page, row);
  page.reserve(height);
  const top = page.y + rowPadding;
  const parent = page.group('TR', table);
  page.mark('TH', () => page.put(label, styles.label, sheet.left, top), { parent });
  page.mark('TD', () => page.put(value, styles.cell, valueX, top), { parent });
  parent.end();
  page.decorate(() => {
    if (row.bar !== undefined) drawBar(page, row, top + (styles.cell.leading - bar.height) / 2);
    doc.moveTo(sheet.left, page.y + height).lineTo(sheet.right, page.y + height);
    doc.lineWidth(0.4).stroke(ink.rule);
  });
  page.y += height;
}

function measureRow(page: Page, row: Row) {
  const barWidth = row.bar === undefined ? 0 : bar.width + bar.gap;
  const label = page.lines(row.label, styles.label, labelWidth);
  const value = page.lines(row.value, styles.cell, sheet.right - valueX - barWidth);
  const lines = Math.max(label.length, value.length);
  return { label, value, height: lines * styles.cell.leading + 2 * rowPadding };
}

function drawBar({ doc }: Page, { bar: value = 0, marks = [] }: Row, y: number): void {
  const x = sheet.right - bar.width;
  const share = Math.min(Math.max(value, 0), 1);
  doc.rect(x, y, bar.width, bar.height).fill(ink.rule);
  doc.rect(x, y, bar.width * share, bar.height).fill(ink.accent);
  for (const mark of marks) {
    const at = x + bar.width * mark;
    doc
      .moveTo(at, y - 2)
      .lineTo(at, y + bar.height + 2)
      .lineWidth(0.8)
      .stroke(ink.text);
  }
}
