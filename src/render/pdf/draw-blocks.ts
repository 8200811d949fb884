/** Lays out sections and each kind of block. */

import { drawFigure, placeFigure } from '../heatmap/print-pictures.ts';
import type { Block, Part, Section } from '../../present/sections/blocks.ts';
import {
  curvesHeight,
  drawCurves,
  drawHeatmaps,
  minHeatmapsHeight,
  type Surroundings,
  writeStrips,
} from './draw-pictures.ts';
import {
  drawForm,
  drawGrid,
  drawList,
  drawTable,
  formHeight,
  listIndent,
  minGridHeight,
  tableHeight,
} from './draw-tables.ts';
import type { Size } from '../../detectors/regions.ts';
import { flow, type Page } from './page.ts';
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
  if (part !== null) drawTitle(around, title, part);
  blocks.forEach((block, at) => drawBlock(around, block, blocks.slice(at + 1)));
  page.y += gaps.belowSection;
}

function drawTitle({ page, parts }: Surroundings, title: string, part: Part): void {
  const { y } = page;
  flow(page, 'H2', title, styles.section);
  page.y += gaps.belowTitle;
  const style = part === 'evaluation' ? styles.mark : styles.quietMark;
  const label = parts[part].toUpperCase();
  const width = page.widthOf(label, style);
  page.mark('P', () => page.put([label], style, sheet.right - width, y + 5));
}

const headingHeight = gaps.aboveHeading + styles.heading.leading + gaps.belowHeading;

/**
 * Height that a section needs on its first page: a form to fill in by hand stays in one piece, and
 * the heading of the heatmaps stays with their first row.
 */
function wantedHeight(around: Surroundings, blocks: readonly Block[]): number {
  if (!blocks.some(({ kind }) => kind === 'form' || kind === 'heatmaps'))
    return minHeights(around, blocks);
  return blocks.reduce((sum, block) => sum + minHeight(around, block) + gaps.belowTitle, 0);
}

/** Height in points that keeps a heading with the first block after it and, after another heading, the next. */
function minHeights(around: Surroundings, [block, ...rest]: readonly Block[]): number {
  if (block === undefined) return 0;
  const least = minHeight(around, block);
  const isHead = block.kind === 'heading' || block.kind === 'note' || announces(block);
  return isHead ? least + minHeights(around, rest) : least;
}

/** A sentence that ends with a colon must stay with what follows. */
function announces(block: Block): boolean {
  return block.kind === 'paragraph' && block.text.endsWith(':');
}

function minHeight(around: Surroundings, block: Block): number {
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
      return minTableHeight(page, block);
    case 'grid':
      return minGridHeight(around, block);
    case 'form':
      return formHeight(block);
    case 'heatmaps':
      return minHeatmapsHeight(around, block);
    case 'curves':
      return curvesHeight;
    case 'beside':
      return placeBeside(page, block).height + linesHeight(page, block.caption, styles.note);
    case 'verdict':
      break;
  }
  // This block is always on the first page.
  return 0;
}

/** The whole table, so that it is not split; only its first four rows if it would take up too much of a page. */
function minTableHeight(page: Page, table: Extract<Block, { kind: 'table' }>): number {
  const whole = tableHeight(page, table);
  if (table.isTight === true) return tableHeight(page, table, 3);
  return whole <= maxWhole ? whole : tableHeight(page, table, 4);
}

function linesHeight(page: Page, text: string, style: Style, width = textWidth): number {
  return page.lines(text, style, width).length * style.leading;
}

function drawBlock(around: Surroundings, block: Block, rest: readonly Block[]): void {
  const { page } = around;
  switch (block.kind) {
    case 'verdict':
      return drawVerdict(around, block, rest);
    case 'heatmaps':
      return drawHeatmaps(around, block);
    case 'curves':
      return drawCurves(around, block);
    case 'beside':
      return drawBeside(page, block);
    case 'table':
      page.reserve(minTableHeight(page, block));
      return drawTable(page, block);
    case 'grid':
      return drawGrid(around, block);
    case 'list':
      return drawList(page, block.items);
    case 'form':
      return drawForm(page, block);
    case 'heading':
      page.reserve(headingHeight + minHeights(around, rest));
      page.y += gaps.aboveHeading;
      flow(page, 'H3', block.text, styles.heading);
      page.y += gaps.belowHeading;
      return;
    case 'paragraph':
      if (announces(block)) page.reserve(minHeights(around, [block, ...rest]) + 5);
      flow(page, 'P', block.text, styles.body);
      page.y += 5;
      return;
    case 'note':
      flow(page, 'P', block.text, styles.note);
      page.y += gaps.belowNote;
      return;
    case 'command':
      flow(page, 'P', block.text, styles.entry, { indent: listIndent });
      page.y += 5;
      return;
  }
}

type Beside = Extract<Block, { kind: 'beside' }>;

function placeBeside({ doc }: Page, { jpeg }: Beside) {
  const image = doc.openImage(Buffer.from(jpeg, 'base64'));
  const scale = Math.min(textWidth / image.width, maxWhole / image.height, 1);
  return { image, width: image.width * scale, height: image.height * scale };
}

function drawBeside(page: Page, block: Beside): void {
  const { image, ...size } = placeBeside(page, block);
  page.reserve(size.height + linesHeight(page, block.caption, styles.note));
  const alt = block.caption;
  page.mark('Figure', () => page.doc.image(image, sheet.left, page.y, size), { alt });
  page.y += size.height + 3;
  flow(page, 'Caption', block.caption, styles.note);
  page.y += gaps.belowNote;
}

const inset = 8;
const gap = 12;
const below = 5;
/** In points. The picture is as high as the page allows with what must follow, and as wide as the text allows. */
const figure = { widths: [290, 230, 170, 120], least: 80, most: 240, minCaption: 120 } as const;
/** From this ratio of width to height, a picture goes above the reasons; beside them, it would leave a gap. */
const panorama = 2.5;

type Verdict = Extract<Block, { kind: 'verdict' }>;

/**
 * Draws question and answer, and below them the picture with the reasons beside it. All outcomes
 * deliberately look the same: a red frame would outweigh the figures.
 */
function drawVerdict(around: Surroundings, block: Verdict, rest: readonly Block[]): void {
  const { page } = around;
  const { doc } = page;
  const width = textWidth - 2 * inset;
  const lines = [
    [page.lines(block.question, styles.label, width), styles.label],
    [page.lines(block.headline, styles.headline, width), styles.headline],
    [page.lines(block.text, styles.body, width), styles.body],
  ] as const;
  const heightOf = ([texts, { leading }]: (typeof lines)[number]) => texts.length * leading + 2;
  // The leading of the last line is not needed.
  const height = lines.reduce((sum, one) => sum + heightOf(one), 1.5 * inset);
  page.reserve(height + below);
  page.decorate(() => {
    doc.rect(sheet.left, page.y, textWidth, height).fill(ink.panel);
    doc.rect(sheet.left, page.y, 3, height).fill(ink.accent);
  });
  let y = page.y + inset;
  for (const line of lines) {
    const [texts, style] = line;
    page.mark('P', () => page.put(texts, style, sheet.left + inset, y));
    y += heightOf(line);
  }
  page.y += height + below;
  // The page of another picture of the case may have been dense.
  page.isDense = false;
  const tables = rest.flatMap((one) => (one.kind === 'table' ? [one] : []));
  const following = tables.reduce((sum, table) => sum + tableHeight(page, table), 0);
  const room = sheet.bottom - page.y - following - 2 * styles.note.leading - 2 * below;
  drawPlaces(around, block, room);
  page.isDense = page.y + following > sheet.bottom;
}

function drawPlaces(around: Surroundings, block: Verdict, room: number): void {
  const { page, images, size, labels } = around;
  const { places } = block;
  const image = images.original;
  const top = page.y;
  const tallest = Math.min(figure.most, Math.max(figure.least, room));
  const lay = (width: number, height: number) => layPlaces(around, block, { width, height });
  const layouts = figure.widths.map((width) => lay(width, tallest));
  const spare = figure.least + Math.max(0, room - lay(textWidth, figure.least).bottom);
  const above = lay(textWidth, Math.min(tallest, spare));
  const isAbove = size.width >= panorama * size.height && above.bottom <= room;
  const fitting = layouts.find((one) => one.height <= Math.max(tallest, one.placement.height));
  const chosen = isAbove ? above : (fitting ?? layouts.at(-1)!);
  const { placement, x, captions, beside } = chosen;
  const drawn = { image, size, placement, x: sheet.left, y: top, outlines: places };
  page.mark('Figure', () => drawFigure(page.doc, drawn), { alt: labels.original });
  const captionTop = top + placement.height + 3;
  page.mark('Caption', () => page.put(captions, styles.note, sheet.left, captionTop));
  let y = top + chosen.textTop;
  for (const { title, items } of beside) {
    page.mark('H3', () => page.put([title], styles.entry, x, y));
    y += styles.entry.leading;
    for (const lines of items) {
      page.mark('P', () => page.put(lines, styles.cell, x, y));
      y += lines.length * styles.cell.leading + betweenItems;
    }
    y += betweenTitles;
  }
  page.y = top + chosen.bottom + below;
}

const betweenItems = 2;
const betweenTitles = 3;

/** Places the picture in this box, with the text beside it or, if it is as wide as the page, below it. */
function layPlaces(around: Surroundings, { caption, beside }: Verdict, box: Size) {
  const { page, size } = around;
  const placement = placeFigure(size, box);
  const isBelow = box.width === textWidth;
  const across = isBelow ? textWidth : Math.max(placement.width, figure.minCaption);
  const x = isBelow ? sheet.left : sheet.left + across + gap;
  const written = `${caption}${writeStrips(around, placement)}`;
  const captions = page.lines(written, styles.note, across);
  const captionEnd = placement.height + 3 + captions.length * styles.note.leading;
  const laid = beside.map(({ title, items }) => ({
    title,
    items: items.map((item) => page.lines(item, styles.cell, sheet.right - x)),
  }));
  const height = laid
    .flatMap(({ items }) => items)
    .reduce(
      (sum, lines) => sum + lines.length * styles.cell.leading + betweenItems,
      laid.length * (styles.entry.leading + betweenTitles),
    );
  const textTop = isBelow ? captionEnd + below : 0;
  const bottom = Math.max(textTop + height, captionEnd);
  return { placement, x, captions, beside: laid, textTop, height, bottom };
}
