/** A heatmap beside its original, the scale, and what is to be read from them. */

import type { MapName } from '../../engine/result.ts';
import type { Size } from '../heatmap/colour-map.ts';
import { drawFigure, placeFigure, type Placement } from '../heatmap/print-pictures.ts';
import type { NumberWriter } from '../numbers.ts';
import type { HeatmapBlock, MethodBlock } from '../sections/blocks.ts';
import type { Words } from '../wording/catalogue.ts';
import type { HeldImage, Page } from './page.ts';
import { ink, sheet, styles, textWidth } from './style.ts';

/** Images as the document holds them, opened once. */
export interface PageImages {
  readonly original: HeldImage;
  readonly heatmaps: Readonly<Record<MapName, HeldImage>>;
  /** By method, where single methods point. */
  readonly methods: Readonly<Record<string, HeldImage>>;
}

export interface Surroundings {
  readonly page: Page;
  readonly images: PageImages;
  readonly size: Size;
  /** RGB bytes of the scale, `3 * 256`. */
  readonly legend: Uint8Array;
  readonly labels: Words['labels'];
  readonly parts: Words['document']['parts'];
  readonly numbers: NumberWriter;
}

const columnGap = 16;
const columnWidth = (textWidth - columnGap) / 2;
const rightColumn = sheet.left + columnWidth + columnGap;
/** Heights of a picture in points, from max to min; see `chooseHeight`. */
const heights = {
  landscape: [158, 146, 134, 122, 110],
  upright: [200, 185, 170, 155, 140],
} as const;
const gaps = { aroundPictures: 4, scale: 21, below: 10 };
const scaleHeight = 7;
const leastScaleWidth = 110;
const scaleTicks = [0, 0.25, 0.5, 0.75, 1];

export function drawHeatmaps(around: Surroundings, blocks: readonly HeatmapBlock[]): void {
  const tallest = chooseHeight(around, blocks);
  for (const block of blocks) drawHeatmap(around, block, tallest);
}

/** One height for all, so that they can be compared: the greatest of those that take the fewest pages. */
function chooseHeight(around: Surroundings, blocks: readonly HeatmapBlock[]): number {
  const { page, size } = around;
  const candidates = size.width > size.height ? heights.landscape : heights.upright;
  const pagesWith = (tallest: number) => {
    let pages = 0;
    let { y } = page;
    for (const block of blocks) {
      const { height } = measure(around, block, tallest);
      const isFull = y + height > sheet.bottom;
      if (isFull) pages++;
      y = (isFull ? sheet.top : y) + height + gaps.below;
    }
    return pages;
  };
  const fewest = Math.min(...candidates.map(pagesWith));
  return candidates.find((tallest) => pagesWith(tallest) === fewest)!;
}

function drawHeatmap(around: Surroundings, block: HeatmapBlock, tallest: number): void {
  const { page } = around;
  const { placement, captions, captionHeight, height } = measure(around, block, tallest);
  // In one piece: a heatmap parted from its scale or its text would be misread.
  page.reserve(height);
  page.flow('H3', block.title, styles.heading);
  page.y += gaps.aroundPictures;
  drawPair(around, block, placement);
  page.y += placement.height + gaps.aroundPictures;
  page.mark('Caption', () => {
    page.put(captions.original, styles.note, sheet.left, page.y);
    page.put(captions.heatmap, styles.note, rightColumn, page.y);
  });
  page.y += captionHeight + gaps.aroundPictures;
  drawScale(around, Math.max(placement.width, leastScaleWidth));
  page.y += gaps.scale;
  page.flow('P', block.text, styles.cell);
  page.flow('P', block.note, styles.note);
  page.y += gaps.below;
}

function measure(
  { page, size, labels, numbers }: Surroundings,
  block: HeatmapBlock,
  tallest: number,
) {
  const placement = placeFigure(size, { width: columnWidth, height: tallest });
  const { reading } = placement;
  const strips =
    reading === null ? '' : ` (${labels.strips[reading](numbers.count(placement.strips))})`;
  const captions = {
    original: page.lines(labels.original + strips, styles.note, columnWidth),
    heatmap: page.lines(labels.heatmap + strips, styles.note, columnWidth),
  };
  const captionHeight =
    Math.max(captions.original.length, captions.heatmap.length) * styles.note.leading;
  const height =
    styles.heading.leading +
    placement.height +
    captionHeight +
    3 * gaps.aroundPictures +
    gaps.scale +
    page.lines(block.text, styles.cell, textWidth).length * styles.cell.leading +
    page.lines(block.note, styles.note, textWidth).length * styles.note.leading;
  return { placement, captions, captionHeight, height };
}

function drawPair(
  { page, images, size, labels }: Surroundings,
  block: HeatmapBlock,
  placement: Placement,
): void {
  const { doc, y } = page;
  page.mark(
    'Figure',
    () => drawFigure(doc, { image: images.original, size, placement, x: sheet.left, y }),
    { alt: labels.original },
  );
  page.mark(
    'Figure',
    () =>
      drawFigure(doc, { image: images.heatmaps[block.map], size, placement, x: rightColumn, y }),
    { alt: `${block.title}. ${labels.heatmap}.` },
  );
}

function drawScale({ page, numbers, legend }: Surroundings, width: number): void {
  const { doc, y } = page;
  page.decorate(() => {
    const gradient = doc.linearGradient(rightColumn, y, rightColumn + width, y);
    for (let entry = 0; entry <= 255; entry += 15) {
      gradient.stop(entry / 255, hex(legend, entry));
    }
    doc.rect(rightColumn, y, width, scaleHeight).fill(gradient);
    doc.font(styles.note.font).fontSize(styles.note.size);
    for (const tick of scaleTicks) {
      const label = numbers.plain(tick);
      const labelWidth = doc.widthOfString(label);
      // The outermost labels stay within the bar; the others are centred below their position.
      const x = rightColumn + tick * (width - labelWidth);
      doc.fillColor(ink.muted).text(label, x, y + scaleHeight + 2, { lineBreak: false });
    }
  });
}

function hex(colours: Uint8Array, entry: number): string {
  return `#${Buffer.from(colours.subarray(3 * entry, 3 * entry + 3)).toString('hex')}`;
}

/** Points: less than half a column of the heatmaps, so that all current methods fit on a page. */
const box = { width: 100, height: 75 };
const methodGaps = { beside: 12, below: 9 };
const textLeft = sheet.left + box.width + methodGaps.beside;
const besideWidth = textWidth - box.width - methodGaps.beside;

/** Points that the first of them takes at most, but for a very long text. */
export const leastMethodHeight = box.height;

/** Draws a small map for each method, with its finding beside it. */
export function drawMethods(around: Surroundings, blocks: readonly MethodBlock[]): void {
  for (const block of blocks) drawMethod(around, block);
}

function drawMethod({ page, images, size }: Surroundings, block: MethodBlock): void {
  const image = images.methods[block.method];
  if (image === undefined) throw new TypeError(`the map of ${block.method} was not drawn`);
  const placement = placeFigure(size, box);
  const parts = [
    ['H4', block.title, styles.entry],
    ['P', block.text, styles.cell],
    ['P', block.note, styles.note],
  ] as const;
  const texts = parts.map(([tag, text, style]) => ({
    tag,
    style,
    lines: page.lines(text, style, besideWidth),
  }));
  const textHeight = texts.reduce((sum, { lines, style }) => sum + lines.length * style.leading, 0);
  const height = Math.max(placement.height, textHeight);
  page.reserve(height);
  const { doc, y } = page;
  page.mark('Figure', () => drawFigure(doc, { image, size, placement, x: sheet.left, y }), {
    alt: `${block.title}. ${block.text}`,
  });
  let top = y;
  for (const { tag, lines, style } of texts) {
    const at = top;
    page.mark(tag, () => page.put(lines, style, textLeft, at));
    top += lines.length * style.leading;
  }
  page.y = y + height + methodGaps.below;
}
