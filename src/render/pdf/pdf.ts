/** The report as a PDF. The same examination, item and pictures give the same bytes; only its time is in it. */

import { buffer } from 'node:stream/consumers';
import type { ReportInput } from '../heatmap/heatmap.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { printable } from '../../present/text.ts';
import type { CaseData } from '../../present/report-item.ts';
import { reportNumber, writeSubtitle } from '../../present/sections/head.ts';
import { writeSections } from '../../present/sections/sections.ts';
import { createNumberWriter, type Words, wordsIn } from '../../present/wording/catalogue.ts';
import {
  curvesHeight,
  drawBeside,
  drawCurves,
  drawFigure,
  drawHeatmaps,
  minHeatmapsHeight,
  placeBeside,
  placeFigure,
  type Surroundings,
  writeStrips,
} from './draw-pictures.ts';
import {
  belowNote,
  type Document,
  flow,
  ink,
  linesHeight,
  openPage,
  packObjects,
  type Page,
  putImage,
  sheet,
  styles,
  textWidth,
} from './page.ts';
import type { Block, Part, Section } from '../../present/sections/blocks.ts';
import {
  drawForm,
  drawGrid,
  drawList,
  drawTable,
  formHeight,
  listIndent,
  minGridHeight,
  minTableHeight,
  tableHeight,
} from './draw-tables.ts';
import type { Size } from '../../detectors/regions.ts';

export async function renderPdf(input: ReportInput): Promise<Uint8Array> {
  const { prints, examination, item, language } = input;
  const { width, height } = examination.facts;
  const { labels } = wordsIn(language);
  const page = openPage({
    title: `${labels.title}: ${printable(item.name, 120)}`,
    subject: `SHA-256 ${examination.facts.sha256}`,
    language,
    createdAt: item.examinedAt,
  });
  const openEach = (files: Readonly<Record<string, Uint8Array>>) =>
    Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, page.doc.openImage(bytes)]),
    );
  const sections = writeSections({ ...input, heatmapDigests: prints.digests });
  const around = surround(page, language, {
    images: {
      original: page.doc.openImage(prints.original),
      heatmaps: openEach(prints.heatmaps),
      methods: openEach(prints.methods),
    },
    size: { width, height },
  });
  page.reserve(70);
  drawLaboratory(page, item.caseData);
  flow(page, 'H1', labels.title, styles.title);
  flow(page, 'P', writeSubtitle(examination, item, language), styles.body);
  page.y += 6;
  sections.forEach((section, at) => {
    // The answer has its own page if it fits on one, and the signed part ends at the end of a page.
    const before = sections[at - 1]?.part;
    const isAnswered = before === null && page.doc.bufferedPageRange().count === 1;
    const isNewPage = isAnswered || (section.part === 'annex' && before !== 'annex');
    if (isNewPage && page.y > sheet.top) page.reserve(sheet.bottom);
    drawSection(around, section);
  });
  const number = `${labels.rows.report} ${reportNumber(examination, item)}`;
  drawEdges(page.doc, labels, `${number}, SHA-256 ${examination.facts.sha256.slice(0, 16)}…`);
  return packObjects(await collect(page.doc));
}

export function surround(
  page: Page,
  language: Language,
  shown: Pick<Surroundings, 'images' | 'size'>,
): Surroundings {
  const { labels, document } = wordsIn(language);
  const numbers = createNumberWriter(language);
  return { page, labels, parts: document.parts, numbers, ...shown };
}

const logoBox = { width: 150, height: 34 } as const;

/** The laboratory's letterhead above the title: the logo, with name and address beside it. */
export function drawLaboratory(page: Page, { laboratory }: CaseData = {}): void {
  if (laboratory === undefined) return;
  const { name, address, logo } = laboratory;
  const top = page.y;
  let x: number = sheet.left;
  let bottom = top;
  if (logo !== null) {
    const size = putImage(page, Buffer.from(logo, 'base64'), logoBox, name);
    x += size.width + 10;
    bottom += size.height;
  }
  const text = [name, ...address].map((line) => printable(line, 120)).join(' · ');
  const lines = page.lines(text, styles.note, sheet.right - x);
  page.mark('P', () => page.put(lines, styles.note, x, top));
  page.y = Math.max(bottom, top + lines.length * styles.note.leading) + 6;
}

/** Once all pages exist and can be counted. @param foot - what the report is about. */
export function drawEdges(doc: Document, labels: Words['labels'], foot: string): void {
  const { start, count } = doc.bufferedPageRange();
  const { font, size } = styles.note;
  for (let i = start; i < start + count; i++) {
    doc.switchToPage(i);
    doc.markContent('Artifact', { type: 'Pagination' });
    doc.font(font).fontSize(size).fillColor(ink.muted);
    const page = labels.page(i - start + 1, count);
    doc.text(labels.product, sheet.left, sheet.headerTop, { lineBreak: false });
    putRight(doc, labels.title, sheet.headerTop);
    doc.text(foot, sheet.left, sheet.footerTop, { lineBreak: false });
    putRight(doc, page, sheet.footerTop);
    for (const y of [sheet.headerTop + 14, sheet.footerTop - 6]) {
      doc.moveTo(sheet.left, y).lineTo(sheet.right, y).lineWidth(0.4).stroke(ink.rule);
    }
    doc.endMarkedContent();
  }
}

function putRight(doc: Document, text: string, y: number): void {
  doc.text(text, sheet.right - doc.widthOfString(text), y, { lineBreak: false });
}

export async function collect(doc: Document): Promise<Buffer> {
  doc.end();
  return buffer(doc);
}

// Lays out sections and each kind of block.

const gaps = { belowTitle: 5, belowHeading: 2, aboveHeading: 4, belowSection: 10 } as const;

export function drawSection(around: Surroundings, { title, part, blocks }: Section): void {
  const { page } = around;
  page.reserve(styles.section.leading + gaps.belowTitle + wantedHeight(around, blocks));
  page.doc.outline.addItem(title);
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

/** On its first page: a form stays in one piece, and the heading of the heatmaps stays with their first row. */
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
      return linesHeight(page, block.text, styles.note) + belowNote;
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
      page.y += belowNote;
      return;
    case 'command':
      flow(page, 'P', block.text, styles.entry, { indent: listIndent });
      page.y += 5;
      return;
  }
}

const inset = 8;
const gap = 12;
const below = 5;
/** In points. The picture is as high as the page allows with what must follow, and as wide as the text allows. */
const figure = { widths: [290, 230, 170, 120], least: 80, most: 240, minCaption: 120 } as const;
/** From this ratio of width to height, a picture goes above the reasons; beside them, it would leave a gap. */
const panorama = 2.5;

type Verdict = Extract<Block, { kind: 'verdict' }>;

/** Answer, picture and reasons. All outcomes deliberately look the same: a red frame would outweigh the figures. */
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
  const drawn = { image, size, placement, x: sheet.left, y: top, outlines: block.places };
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
  const captions = page.lines(caption + writeStrips(around, placement), styles.note, across);
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
