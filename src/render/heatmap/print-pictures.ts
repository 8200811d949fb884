/** The picture and its heatmaps as JPEG files, as large as a page shows them, and checksums of the heatmap files. */

import { hash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { Region, Size } from '../../detectors/regions.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { CellMaps, Examination, MapName } from '../../engine/result.ts';
import { type PixelOrientation, turnUpright } from '../../image/orientation.ts';
import type { Picture } from '../../image/picture.ts';
import { scaledSize } from '../../image/pixels.ts';
import type { ReportItem } from '../../present/report-item.ts';
import type { Document, HeldImage } from '../pdf/page.ts';
import { numberTop } from './frames.ts';
import { createDrawer, forEachMap } from './heatmap.ts';

export interface ReportInput {
  readonly prints: Prints;
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
}

/** JPEG files, which the reports in all languages share. */
export interface Prints {
  readonly original: Uint8Array;
  readonly heatmaps: Heatmaps;
  /** For each method, its map drawn over the picture. */
  readonly methods: Readonly<Record<string, Uint8Array>>;
  /** SHA-256 of each full-size heatmap file, in lower-case hex. */
  readonly digests: Readonly<Record<MapName, string>>;
}

/** 300 dpi for a figure 8 cm wide and high; a total, so that a strip of 65 x 4096 pixels keeps all of them. */
const maxPixels = 600_000;

/** 200 dpi for a figure 8 cm wide: for heatmaps, which are smooth, and the report of a case, which may have a thousand pictures. */
const maxSmallPixels = 250_000;
const jpegOptions = { quality: 82, chromaSubsampling: '4:2:0', mozjpeg: false } as const;

type Heatmaps = Readonly<Record<MapName, Uint8Array>>;

/**
 * @param heatmaps - the PNG files delivered with the report.
 * @param heatmapOrientation - orientation of these files; in print, all of them are upright.
 */
export async function printPictures(
  picture: Picture,
  maps: CellMaps,
  heatmaps: Heatmaps,
  heatmapOrientation: PixelOrientation = 'upright',
): Promise<Prints> {
  const { width, height, orientation } = picture.facts;
  const whole = sharp(picture.rgb, { raw: { width, height, channels: 3 } });
  return {
    original: await shrinkTo(whole, { width, height }, maxPixels),
    heatmaps: await forEachMap((name) => {
      const image = sharp(heatmaps[name]);
      const upright = heatmapOrientation === 'upright' ? image : turnUpright(image, orientation);
      return shrinkTo(upright, { width, height }, maxSmallPixels);
    }),
    methods: await printMethods(picture, maps),
    digests: await forEachMap(async (name) => hash('sha256', heatmaps[name])),
  };
}

/** The picture alone, for its page in the report on a case. */
export function printPicture({ rgb, facts: { width, height } }: Picture): Promise<Uint8Array> {
  const image = sharp(rgb, { raw: { width, height, channels: 3 } });
  return shrinkTo(image, { width, height }, maxSmallPixels);
}

/** A JPEG with the proportions of `size` and at most `pixels` pixels. */
function shrinkTo(image: Sharp, size: Size, pixels: number): Promise<Uint8Array> {
  const scale = Math.min(1, Math.sqrt(pixels / (size.width * size.height)));
  return image
    .resize({ ...scaledSize(size, scale), fit: 'fill', kernel: 'cubic' })
    .jpeg(jpegOptions)
    .toBuffer();
}

/** 300 dpi for a figure 4 cm wide and 3 cm high. */
const maxMethodPixels = 160_000;

/** Always upright, regardless of the orientation of the heatmap files. */
async function printMethods(picture: Picture, maps: CellMaps): Promise<Prints['methods']> {
  const { width, height } = picture.facts;
  const draw = createDrawer(picture, maps, maxMethodPixels);
  const pictures: Record<string, Uint8Array> = {};
  for (const [method, values] of Object.entries(maps.methods)) {
    // A method's value of 0.5 means nothing, so the colours start there: no finding is grey, not half-way to alarm.
    const { rgb, ...raw } = draw(values.map((value) => Math.max(0, 2 * value - 65_535)));
    const drawn = sharp(rgb, { raw: { ...raw, channels: 3 } });
    pictures[method] = await shrinkTo(drawn, { width, height }, maxMethodPixels);
  }
  return pictures;
}

// Fits a picture into a box on the page. A picture much longer than it is wide is cut into strips side by side, like
// the columns of a newspaper: scaled as a whole, 65 x 4096 pixels would look like a hairline.

/** A picture whose longer side is more than this many times its shorter side is cut into strips. */
const longest = 5;
/** Gap between strips in points, and maximum points per pixel, so that a tiny picture does not become a blur. */
const gap = 4;
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
    (boxShort - gap * (strips - 1)) / (short * strips),
    pointsPerPixel,
  );
  const along = (long / strips) * scale;
  const across = short * strips * scale + gap * (strips - 1);
  return isTall
    ? { width: across, height: along, strips, reading: 'leftToRight', scale }
    : { width: along, height: across, strips, reading: 'topToBottom', scale };
}

interface Figure {
  /** The result of `openImage`; the same object is used on every page that shows the picture. */
  readonly image: HeldImage;
  readonly size: Size;
  readonly placement: Placement;
  readonly x: number;
  readonly y: number;
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
  const step = (isTall ? width : height) + gap;
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
  { x, y }: { readonly x: number; readonly y: number },
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
