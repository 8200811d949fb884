/** The picture with the scale, the heatmaps with explanations beside them, and the curves; and how a picture is placed. */

import type { Region, Size } from '../../detectors/regions.ts';
import type { MapName } from '../../detectors/result.ts';
import { numberTop } from '../heatmap/frames.ts';
import { legendColour } from '../heatmap/heatmap.ts';
import {
  type Block,
  type Curve,
  type HeatmapBlock,
  type Plot,
  plotRange,
} from '../../present/sections/blocks.ts';
import type { NumberWriter, Words } from '../../present/wording/catalogue.ts';
import {
  belowNote,
  type Document,
  flow,
  type HeldImage,
  ink,
  linesHeight,
  maxWhole,
  type Page,
  sheet,
  styles,
  textWidth,
} from './page.ts';

/** Images in the form in which the document stores them, each opened only once. */
export interface PageImages {
  readonly original: HeldImage;
  /** Empty in the report on a case, which shows only the picture. */
  readonly heatmaps: Readonly<Partial<Record<MapName, HeldImage>>>;
  /** By method, for those that point to a place. */
  readonly methods: Readonly<Record<string, HeldImage>>;
}

export interface Surroundings {
  readonly page: Page;
  readonly images: PageImages;
  readonly size: Size;
  readonly labels: Words['labels'];
  readonly parts: Words['document']['parts'];
  readonly numbers: NumberWriter;
}

const columnGap = 18;
/** The picture and the map of possible changes are large, and the other maps form a row below; all fit on one page. */
const shapes = { large: { columns: 2, tallest: 132 }, small: { columns: 3, tallest: 76 } } as const;

type Shape = (typeof shapes)[keyof typeof shapes];
const gaps = { aroundPicture: 4, scale: 30, below: 12 };
const scaleHeight = 8;
/** Width in points that the labels of the scale need. */
const minScaleWidth = 150;
const scaleTicks = [0, 0.25, 0.5, 0.75, 1];

type Heatmaps = Extract<Block, { kind: 'heatmaps' }>;
/** Null stands for the picture itself, which has no block of its own and comes first, above the scale. */
type Cell = HeatmapBlock | null;

interface CellRow {
  readonly cells: readonly Cell[];
  readonly shape: Shape;
}

export function minHeatmapsHeight(around: Surroundings, block: Heatmaps): number {
  return rowHeight(around, toRows(block)[0]!);
}

/** Keeps each heatmap together with its text, because it would be misread without the text. */
export function drawHeatmaps(around: Surroundings, block: Heatmaps): void {
  const { page } = around;
  for (const row of toRows(block)) {
    const { cells, shape } = row;
    const step = columnWidth(shape) + columnGap;
    const height = rowHeight(around, row);
    page.reserve(height);
    const top = page.y;
    cells.forEach((cell, at) => {
      drawCell(around, cell, { x: sheet.left + at * step, y: top, shape, places: block.places });
    });
    page.y = top + height + gaps.below;
  }
}

function columnWidth({ columns }: Shape): number {
  return (textWidth - (columns - 1) * columnGap) / columns;
}

function toRows({ maps: [first, ...others] }: Heatmaps): readonly CellRow[] {
  return [
    { cells: [null, ...(first === undefined ? [] : [first])], shape: shapes.large },
    ...(others.length === 0 ? [] : [{ cells: others, shape: shapes.small }]),
  ];
}

function rowHeight(around: Surroundings, { cells, shape }: CellRow): number {
  return Math.max(...cells.map((cell) => measure(around, cell, shape).height));
}

function measure(around: Surroundings, cell: Cell, shape: Shape) {
  const { page, size, labels } = around;
  const across = columnWidth(shape);
  const placement = placeFigure(size, { width: across, height: shape.tallest });
  // The maps are cut into the same strips as the picture.
  const name = cell?.title ?? `${labels.original}${writeStrips(around, placement)}`;
  const title = page.lines(name, styles.heading, across);
  const headline = cell?.headline ? page.lines(cell.headline, styles.entry, across) : [];
  const text = cell === null ? [] : page.lines(cell.text, styles.small, across);
  const above = title.length * styles.heading.leading + gaps.aroundPicture;
  const lines = headline.length * styles.entry.leading + text.length * styles.small.leading;
  const below = cell === null ? gaps.scale : lines;
  const height = above + placement.height + gaps.aroundPicture + below;
  return { placement, title, headline, text, above, height };
}

/** How to read a figure that was cut into strips; empty for a figure in one piece. */
export function writeStrips({ labels, numbers }: Surroundings, { reading, strips }: Placement) {
  return reading === null ? '' : ` (${labels.strips[reading](numbers.count(strips))})`;
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

interface CellPlace extends Corner {
  readonly shape: Shape;
  readonly places: readonly Region[];
}

function drawCell(around: Surroundings, cell: Cell, { x, y, shape, places }: CellPlace): void {
  const { page, images, size, labels } = around;
  const { placement, title, headline, text, above } = measure(around, cell, shape);
  page.mark('H3', () => page.put(title, styles.heading, x, y));
  const top = y + above;
  const image = cell === null ? images.original : images.heatmaps[cell.map]!;
  // The heatmap files already contain the outlines.
  const outlines = cell === null ? places : [];
  page.mark('Figure', () => drawFigure(page.doc, { image, size, placement, x, y: top, outlines }), {
    alt: cell === null ? labels.original : `${cell.title}. ${labels.heatmap}.`,
  });
  const under = top + placement.height + gaps.aroundPicture;
  if (cell === null) {
    return drawScale(around, { x, y: under }, Math.max(placement.width, minScaleWidth));
  }
  if (headline.length > 0) page.mark('P', () => page.put(headline, styles.entry, x, under));
  const textTop = under + headline.length * styles.entry.leading;
  page.mark('P', () => page.put(text, styles.small, x, textTop));
}

function drawScale({ page, numbers, labels }: Surroundings, { x, y }: Corner, width: number): void {
  const { doc } = page;
  page.decorate(() => {
    const gradient = doc.linearGradient(x, y, x + width, y);
    for (let stop = 0; stop <= 17; stop++) gradient.stop(stop / 17, legendColour(stop / 17));
    doc.rect(x, y, width, scaleHeight).fill(gradient);
    doc.font(styles.note.font).fontSize(styles.note.size);
    const place = (label: string, share: number, top: number) => {
      // The outermost labels stay within the bar; the others are centred below their positions.
      const left = x + share * (width - doc.widthOfString(label));
      doc.fillColor(ink.muted).text(label, left, top, { lineBreak: false });
    };
    for (const tick of scaleTicks) place(numbers.plain(tick), tick, y + scaleHeight + 2);
    place(labels.scale.low, 0, y + scaleHeight + 12);
    place(labels.scale.high, 1, y + scaleHeight + 12);
  });
}

// Two pictures side by side, in one image.

type Beside = Extract<Block, { kind: 'beside' }>;

export function placeBeside({ doc }: Page, { jpeg }: Beside) {
  const image = doc.openImage(Buffer.from(jpeg, 'base64'));
  const scale = Math.min(textWidth / image.width, maxWhole / image.height, 1);
  return { image, width: image.width * scale, height: image.height * scale };
}

export function drawBeside(page: Page, block: Beside): void {
  const { image, ...size } = placeBeside(page, block);
  page.reserve(size.height + linesHeight(page, block.caption, styles.note));
  const alt = block.caption;
  page.mark('Figure', () => page.doc.image(image, sheet.left, page.y, size), { alt });
  page.y += size.height + 3;
  flow(page, 'Caption', block.caption, styles.note);
  page.y += belowNote;
}

// Tippett plots: how ratios of pictures with a known answer are distributed, and where this one lies.

const gap = 24;
const frame = { width: (textWidth - gap) / 2, height: 64 } as const;
export const curvesHeight = styles.entry.leading + frame.height + 2 * styles.note.leading + 14;

export function drawCurves({ page }: Surroundings, { plots }: Extract<Block, { kind: 'curves' }>) {
  page.reserve(curvesHeight);
  const { y } = page;
  plots.forEach((plot, at) => {
    drawPlot(page, plot, { x: sheet.left + at * (frame.width + gap), y });
  });
  page.y = y + curvesHeight + 4;
}

function drawPlot(page: Page, plot: Plot, { x, y }: Corner): void {
  const { title, axis, ticks, supporting, opposing, own, bounds } = plot;
  const { doc } = page;
  const top = y + styles.entry.leading;
  const bottom = top + frame.height;
  page.mark('H4', () => page.put([title], styles.entry, x, y));
  const { from, to } = plotRange;
  // Values beyond either end of the plot are drawn on its edge.
  const toX = (log: number) =>
    x + frame.width * ((Math.min(to, Math.max(from, log)) - from) / (to - from));
  const alt = `${title}: ${supporting.name}, ${opposing.name}, ${own.name}`;
  page.mark(
    'Figure',
    () => {
      const [low, high] = bounds;
      doc.rect(toX(low), top, toX(high) - toX(low), frame.height).fill(ink.panel);
      doc.rect(x, top, frame.width, frame.height).lineWidth(0.4).stroke(ink.rule);
      drawCurve(supporting, ink.accent);
      drawCurve(opposing, ink.range);
      doc.moveTo(toX(own.at), top).lineTo(toX(own.at), bottom);
      doc.lineWidth(1).dash(2, { space: 2 }).stroke(ink.text).undash();
      doc.font(styles.note.font).fontSize(styles.note.size).fillColor(ink.muted);
      ticks.forEach((text, at) => {
        const left = x + ((frame.width - doc.widthOfString(text)) * at) / (ticks.length - 1);
        doc.text(text, left, bottom + 2, { lineBreak: false });
      });
    },
    { alt },
  );
  const key = page.lines(axis, styles.note, frame.width);
  page.mark('P', () => page.put(key, styles.note, x, bottom + 12));
  drawKey(page, plot, { x, y: bottom + 12 + styles.note.leading });

  function drawCurve({ points }: Curve, colour: string): void {
    points.forEach(([log, share], at) => {
      const [px, py] = [toX(log), bottom - share * frame.height];
      if (at === 0) doc.moveTo(toX(from), top).lineTo(px, py);
      else doc.lineTo(px, py);
    });
    doc.lineTo(toX(to), bottom).lineWidth(1.2).stroke(colour);
  }
}

function drawKey(page: Page, { supporting, opposing, own }: Plot, { x, y }: Corner): void {
  const entries = [
    [supporting.name, ink.accent],
    [opposing.name, ink.range],
    [own.name, ink.text],
  ] as const;
  let left = x;
  for (const [name, colour] of entries) {
    page.decorate(() => page.doc.rect(left, y + 4, 8, 2).fill(colour));
    const at = left + 11;
    page.mark('P', () => page.put([name], styles.note, at, y));
    left = at + page.widthOf(name, styles.note) + 12;
  }
}

// Fits a picture into a box on the page. A picture much longer than it is wide is cut into strips side by side, like
// the columns of a newspaper: scaled as a whole, 65 x 4096 pixels would look like a hairline.

/** A picture whose longer side is more than this many times its shorter side is cut into strips. */
const longest = 5;
/** Gap between strips in points, and maximum points per pixel, so that a tiny picture does not become a blur. */
const stripGap = 4;
const pointsPerPixel = 2;

export interface Placement {
  /** Total size of all strips, in points. */
  readonly width: number;
  readonly height: number;
  readonly strips: number;
  /** The reading order of the strips; null for a picture in one piece. */
  readonly reading: 'leftToRight' | 'topToBottom' | null;
  /** Points per pixel. */
  readonly scale: number;
}

/** @param box - maximum size of the figure, in points. */
export function placeFigure(picture: Size, box: Size): Placement {
  const { width, height } = picture;
  const isTall = height > longest * width;
  const isWide = width > longest * height;
  if (!isTall && !isWide) {
    const scale = Math.min(box.width / width, box.height / height, pointsPerPixel);
    return { width: width * scale, height: height * scale, strips: 1, reading: null, scale };
  }
  const [long, short] = isTall ? [height, width] : [width, height];
  const [boxLong, boxShort] = isTall ? [box.height, box.width] : [box.width, box.height];
  // The number of strips that gives the figure about the proportions of the box.
  const strips = Math.max(2, Math.round(Math.sqrt((long / short) * (boxShort / boxLong))));
  const scale = Math.min(
    boxLong / (long / strips),
    (boxShort - stripGap * (strips - 1)) / (short * strips),
    pointsPerPixel,
  );
  const along = (long / strips) * scale;
  const across = short * strips * scale + stripGap * (strips - 1);
  return isTall
    ? { width: across, height: along, strips, reading: 'leftToRight', scale }
    : { width: along, height: across, strips, reading: 'topToBottom', scale };
}

interface Figure extends Corner {
  /** The result of `openImage`; the same object is used on every page that shows the picture. */
  readonly image: HeldImage;
  readonly size: Size;
  readonly placement: Placement;
  /** Regions to number and to frame in white on black, so that the frames stand out from any picture. */
  readonly outlines?: readonly Region[];
}

export function drawFigure(doc: Document, figure: Figure): void {
  const { image, size, placement, x, y } = figure;
  const { strips, reading, scale } = placement;
  const width = size.width * scale;
  const height = size.height * scale;
  if (reading === null) {
    doc.image(image, x, y, { width, height });
    // Without a border, a white picture on white paper would have no visible edge.
    doc.rect(x, y, width, height).lineWidth(0.5).stroke('#999999');
    drawOutlines(doc, figure, { x, y });
    return;
  }
  const isTall = reading === 'leftToRight';
  const along = (isTall ? height : width) / strips;
  const step = (isTall ? width : height) + stripGap;
  for (let strip = 0; strip < strips; strip++) {
    const [left, top] = isTall ? [x + strip * step, y] : [x, y + strip * step];
    const [cutX, cutY] = isTall ? [0, strip * along] : [strip * along, 0];
    doc.save();
    doc.rect(left, top, isTall ? width : along, isTall ? along : height).clip();
    const corner = { x: left - cutX, y: top - cutY };
    doc.image(image, corner.x, corner.y, { width, height });
    drawOutlines(doc, figure, corner);
    doc.restore();
  }
}

/** In points. */
const label = { size: 8, width: 10, height: 11 } as const;

function drawOutlines(
  doc: Document,
  { outlines = [], placement: { scale } }: Figure,
  { x, y }: Corner,
): void {
  const strokes = [
    { width: 2.6, colour: '#000000' },
    { width: 1.3, colour: '#ffffff' },
  ];
  outlines.forEach(({ left, top, width, height }, at) => {
    const [cornerX, cornerY] = [x + left * scale, y + top * scale];
    for (const stroke of strokes) {
      doc.rect(cornerX, cornerY, width * scale, height * scale);
      doc.lineWidth(stroke.width).stroke(stroke.colour);
    }
    const box = { top: top * scale, width: width * scale, height: height * scale };
    const labelY = y + numberTop(box, label);
    doc.rect(cornerX, labelY, label.width, label.height).fill('#000000');
    doc.font('bold').fontSize(label.size).fillColor('#ffffff');
    doc.text(String(at + 1), cornerX + 2.5, labelY + 1, { lineBreak: false });
  });
}
