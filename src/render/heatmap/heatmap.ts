/** Draws cell maps over a grey copy of the picture, always on the scale 0..1, so that heatmaps can be compared. */

import { hash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { Region, Size } from '../../detectors/regions.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { CellMaps, Examination, MapName } from '../../detectors/result.ts';
import { type PixelOrientation, turnBack, turnUpright } from '../../image/orientation.ts';
import type { Picture } from '../../image/picture.ts';
import { scaledSize } from '../../image/pixels.ts';
import type { ReportItem } from '../../present/report-item.ts';
import { type Canvas, drawFrames, encodePalettePng } from './frames.ts';

/**
 * Where values are low, the picture shows in dimmed grey; high values appear as shades of colour. The grey is kept
 * dark, so that bright always means a high value and never a bright object in the picture, even in greyscale print.
 */
const greyBelow = { black: 4, white: 78 };
const shadeAbove = { black: 0.72, white: 1 };

/** Steps of value and of brightness in a palette of 256 colours, of which the frame needs two. */
const valueSteps = 25;
const lumaSteps = 10;
const frameBlack = valueSteps * lumaSteps;
const frameWhite = frameBlack + 1;

/** Above this size, heatmaps are drawn in blocks of pixels; the picture itself shows the detail. */
const maxBlocks = 3_000_000;

interface HeatmapLook {
  /** Orientation of the heatmaps: that of the picture after EXIF rotation, or that of the pixels stored in the file. */
  readonly heatmapOrientation?: PixelOrientation;
  /** Regions to frame and number, in pixels of the picture after EXIF rotation. */
  readonly outlines?: readonly Region[];
}

/** PNG files of exactly the picture's size, with an 8-bit palette; above 3 megapixels, of blocks of one colour. */
export async function renderHeatmaps(
  picture: Picture,
  maps: CellMaps,
  { heatmapOrientation = 'upright', outlines = [] }: HeatmapLook = {},
): Promise<Record<MapName, Uint8Array>> {
  const { width, height, orientation } = picture.facts;
  const blockPx = Math.ceil(Math.sqrt((width * height) / maxBlocks));
  const canvas = createCanvas(picture, maps, blockPx);
  const palette = toPalette();
  return forEachMap(async (name) => {
    canvas.draw(maps.values[name]);
    drawFrames(canvas, outlines, { black: frameBlack, white: frameWhite });
    const upright = { width, height, indices: enlarged(canvas, { width, height }) };
    if (heatmapOrientation === 'upright') return encodePalettePng(upright, palette);
    const stored = sharp(upright.indices, { raw: { width, height, channels: 1 } });
    const turned = turnBack(stored, orientation).toColourspace('b-w').raw();
    const { data, info } = await turned.toBuffer({ resolveWithObject: true });
    const turnedBack = { width: info.width, height: info.height, indices: data };
    return encodePalettePng(turnedBack, palette, orientation);
  });
}

/** Renders the values themselves as 16-bit greyscale PNG files, one value per cell; 0..65535 represents 0..1. */
export async function renderRawMaps(maps: CellMaps): Promise<Record<MapName, Uint8Array>> {
  const { columns: width, rows: height } = maps;
  return forEachMap((name) =>
    sharp(maps.values[name], { raw: { width, height, channels: 1 } })
      .toColourspace('grey16')
      .png({ compressionLevel: 3, adaptiveFiltering: true })
      .toBuffer(),
  );
}

/** The colour of a value, 0..1, over mid-grey, such as `#8c5f3d`: the pure colours never appear in a heatmap. */
export function legendColour(value: number): string {
  const middle = (lumaSteps >> 1) / (lumaSteps - 1);
  const entry = Math.round(value * (colourCount - 1));
  const step = Math.floor((entry * valueSteps) / colourCount);
  return `#${Buffer.from(blend(step / (valueSteps - 1), middle)).toString('hex')}`;
}

/** One after another, because maps may share a canvas, and each takes 36 MB at 12 megapixels. */
export async function forEachMap<T>(
  act: (name: MapName) => Promise<T>,
): Promise<Record<MapName, T>> {
  return {
    real: await act('real'),
    fake: await act('fake'),
    compression: await act('compression'),
    anomaly: await act('anomaly'),
  };
}

/** RGB bytes for each palette index: all brightness steps of each value step, then the two colours of the frame. */
function toPalette(): Uint8Array {
  const palette = new Uint8Array(3 * (frameWhite + 1));
  for (let step = 0; step < frameBlack; step++) {
    const value = Math.floor(step / lumaSteps) / (valueSteps - 1);
    const luma = (step % lumaSteps) / (lumaSteps - 1);
    palette.set(blend(value, luma), 3 * step);
  }
  palette.fill(255, 3 * frameWhite);
  return palette;
}

/** @param value - 0..1, like luma. */
function blend(value: number, luma: number): readonly number[] {
  const entry = 3 * Math.round(value * (colourCount - 1));
  const grey = between(greyBelow, luma) * (1 - value);
  const shade = between(shadeAbove, luma);
  // Adds the two as if they were lights projected on one screen: never darker than either, and never beyond white.
  return Array.from(colourMap.subarray(entry, entry + 3), (channel) => {
    const colour = shade * channel;
    return Math.round(colour + grey * (1 - colour / 255));
  });
}

function between({ black, white }: typeof greyBelow, share: number): number {
  return black + (white - black) * share;
}

/** A canvas on which a map is drawn over the picture; `draw` overwrites everything drawn before. */
function createCanvas(picture: Picture, maps: CellMaps, blockPx: number) {
  const width = Math.ceil(picture.facts.width / blockPx);
  const height = Math.ceil(picture.facts.height / blockPx);
  const fillRow = createUpsampler(picture.facts, maps, blockPx);
  const steps = meanOfBlocks(picture, blockPx).map((luma) => (luma * lumaSteps) >> 8);
  const brightness = withoutSpecks(steps, width);
  const indices = new Uint8Array(width * height);
  const row = new Uint16Array(width);
  const draw = (values: Uint16Array) => {
    for (let y = 0; y < height; y++) {
      fillRow(values, y, row);
      for (let x = 0, at = y * width; x < width; x++, at++) {
        indices[at] = ((row[x]! * valueSteps) >> 16) * lumaSteps + brightness[at]!;
      }
    }
  };
  return { width, height, blockPx, indices, draw };
}

/** The mean of each block; those at the right and lower edges may be smaller than the others. */
function meanOfBlocks({ facts, luma }: Picture, blockPx: number): Uint8Array {
  if (blockPx === 1) return luma;
  const columns = Math.ceil(facts.width / blockPx);
  const rows = Math.ceil(facts.height / blockPx);
  const means = new Uint8Array(columns * rows);
  for (let row = 0, at = 0; row < rows; row++) {
    const [top, bottom] = [row * blockPx, Math.min(facts.height, (row + 1) * blockPx)];
    for (let column = 0; column < columns; column++, at++) {
      const [left, right] = [column * blockPx, Math.min(facts.width, (column + 1) * blockPx)];
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) sum += luma[y * facts.width + x]!;
      }
      means[at] = sum / ((right - left) * (bottom - top));
    }
  }
  return means;
}

/**
 * Twice the median of three pixels down and across: noise would make up a quarter of the file. Steps change by 1 at
 * most, so that heatmaps from earlier versions still reproduce.
 */
function withoutSpecks(steps: Uint8Array, width: number): Uint8Array {
  let calm = steps;
  for (const apart of [width, 1, width, 1]) {
    const before = calm;
    calm = before.slice();
    for (let at = apart; at < calm.length - apart; at++) {
      calm[at] = median(before[at - apart]!, before[at]!, before[at + apart]!);
    }
  }
  return calm.map((step, at) => median(steps[at]! - 1, step, steps[at]! + 1));
}

function median(one: number, middle: number, other: number): number {
  return Math.max(Math.min(one, other), Math.min(middle, Math.max(one, other)));
}

/** Repeats each index for every pixel of its block. */
function enlarged({ indices, width, blockPx }: Canvas, size: Size): Uint8Array {
  if (blockPx === 1) return indices;
  const pixels = new Uint8Array(size.width * size.height);
  for (let y = 0; y < size.height; y++) {
    const to = y * size.width;
    if (y % blockPx > 0) {
      pixels.copyWithin(to, to - size.width, to);
      continue;
    }
    const from = (y / blockPx) * width;
    for (let x = 0; x < size.width; x++) pixels[to + x] = indices[from + ((x / blockPx) | 0)]!;
  }
  return pixels;
}

// The product's only colour map, from dark blue through magenta and orange to pale yellow. Lightness increases with the
// value, and neighbouring entries are equidistant in OKLab, so equal differences in value look equal on a screen, to
// colour-blind readers and in greyscale print.

const colourCount = 256;

/**
 * RGB bytes: entry i is the colour of the value i / 255. They lie at equal distances on a path in OKLab: lightness from
 * 0.16 to 0.97, hue from 272 to 468 degrees, chroma from 0.045 to 0.085 with a peak of 0.185 in the middle.
 */
const colours =
  'BwsgCAwhCQwiCg0jCw4kDA4lDQ8mDhAnEBApEREqEhIrExIsFBMtFRQuFhQvFxUxGRUyGhYzGxc0HBc1HRg3Hxg4IBk5IRk6Iho8JBo9JRs+Jhs/KBxAKRxCKh1DLB1ELR5FLh5HMB5IMR9JMx9KNB9LNiBMNyBOOSBPOiFQPCFRPSFSPyJTQCJUQiJVQyJWRSJXRiNYSCNZSiNaSyNbTSNcTyRdUCReUiRfVCRgVSRgVyRhWSRiWiRjXCRjXiVkXyVlYSVlYyVmZSVnZiVnaCVoaiVobCVpbSVpbyVqcSVqcyVqdSVrdiVreCVreiVsfCVsfiVsfyVsgSVsgyVthSVthyVtiCVtiiVtjCVtjiVtjyVtkSVtkyVtlSVslyVsmCVsmiVsnCZsniZsnyZroSZroyZrpCdqpidqqCdqqSdpqyhprShorilosClnsilnsypmtSpmtitluCxluixkuy1kvS1jvi5iwC9iwTBhwjFgxDFgxTJfxzNeyDReyTVdyzZczDdbzThbzzla0DpZ0TxY0j1X0z5X1T9W1kFV10JU2ENU2URT2kZS20dR3ElR3UpQ3ktP301O4E5O4VBN4lFM4lNL41RL5FZK5VdK5VlJ5ltI51xI515H6F9H6WFG6WNG6mRF6mZF62dF62lE7GtE7GxE7W5E7XBE7nFE7nNE7nVE73ZE73hE73pE8HxE8H1E8H9F8IFF8YJG8YRG8YZH8YdH8YlI8YtJ8oxK8o5L8pBL8pFM8pNN8pVO8pdQ8phR8ppS8pxT8p1U8p9W8qBX8qJY8qRa8qVb8qdd8qle8qpg8qxh8q5j8q9l8rFm8rJo8rRq8rZr8rdt8rlv8rpx8rxy8r108r928sF48sJ58sR78sV98sd/8siB8sqC8suE882G88+I89CK89KM89ON89WP89aR9NiT9NmU9NuW9NyY9N6a9d+b9eGd9eKf9eSg9uWi9uek9uil9+qn9+up9+2q9+6s+PCt+PGv+POw+fSy+faz+fe1+vm2+vq3';

const colourMap: Uint8Array = Buffer.from(colours, 'base64');

// Upsamples cell maps to the size of the picture by bilinear interpolation.

/**
 * Creates a row reader that upsamples maps of this grid. The value of cell i applies at its centre, `(i + 0.5) *
 * cellPx`; beyond the outermost centres it stays constant. Exact integer arithmetic gives the same values everywhere.
 *
 * @param blockPx - side of a block in pixels: returns one value for each block, at its centre, instead of one for each
 *   pixel.
 * @returns a function that writes row `y` of the upsampled map to `row`, one value 0..65535 per pixel.
 */
export function createUpsampler(size: Size, maps: CellMaps, blockPx = 1) {
  const { cellPx, columns, rows } = maps;
  const whole = 2 * cellPx;
  const half = (whole * whole) / 2;
  const across = readAxis(Math.ceil(size.width / blockPx), columns, { cellPx, blockPx });
  const down = readAxis(Math.ceil(size.height / blockPx), rows, { cellPx, blockPx });
  const mixed = new Float64Array(columns);

  return function fillRow(values: Uint16Array, y: number, row: Uint16Array): void {
    const upper = down.before[y]! * columns;
    const lower = down.after[y]! * columns;
    const share = down.share[y]!;
    for (let i = 0; i < columns; i++) {
      mixed[i] = values[upper + i]! * (whole - share) + values[lower + i]! * share;
    }
    for (let x = 0; x < row.length; x++) {
      const right = across.share[x]!;
      const sum = mixed[across.before[x]!]! * (whole - right) + mixed[across.after[x]!]! * right;
      row[x] = (sum + half) / (whole * whole);
    }
  };
}

/** For each block, the two cells between whose centres it lies, and the second one's weight in units of 1 / (2 * cellPx). */
function readAxis(
  blocks: number,
  cells: number,
  { cellPx, blockPx }: { readonly cellPx: number; readonly blockPx: number },
) {
  const before = new Uint16Array(blocks);
  const after = new Uint16Array(blocks);
  const share = new Uint16Array(blocks);
  for (let p = 0; p < blocks; p++) {
    // Centres are at (p + 0.5) blocks, so the distance to the centre of the first cell is a whole number of half pixels.
    const distance = blockPx * (2 * p + 1) - cellPx;
    const cell = Math.floor(distance / (2 * cellPx));
    before[p] = Math.min(Math.max(cell, 0), cells - 1);
    after[p] = Math.min(Math.max(cell + 1, 0), cells - 1);
    share[p] = distance - 2 * cellPx * cell;
  }
  return { before, after, share };
}

// The picture and its heatmaps as JPEG files, as large as a page shows them, and checksums of the heatmap files.

export interface ReportInput {
  readonly prints: Prints;
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
}

/** JPEG files, which the reports in all languages share. */
export interface Prints {
  readonly original: Uint8Array;
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  /** For each method, its map drawn over the picture. */
  readonly methods: Readonly<Record<string, Uint8Array>>;
  /** SHA-256 of each full-size heatmap file, in lower-case hex. */
  readonly digests: Readonly<Record<MapName, string>>;
}

/** 210 dpi for the largest figure, 10 cm wide; a total, so that a strip of 65 x 4096 pixels keeps all of them. */
const maxPixels = 500_000;

/** 200 dpi for a figure 8 cm wide: for a heatmap, which is smooth, and the report of a case, which may have a thousand pictures. */
const maxSmallPixels = 250_000;

/** 300 dpi for a figure 4 cm wide and 3 cm high: for methods, and for the heatmaps in a row below the first. */
const maxTinyPixels = 160_000;

/** Table 3, by N. Robidoux, is about as close to the pixels as the usual one at 80, in files a sixth smaller. */
const jpegOptions = { quality: 75, chromaSubsampling: '4:2:0', quantisationTable: 3 } as const;

/** @param heatmapOrientation - of the PNG files delivered with the report; in print, all of them are upright. */
export async function printPictures(
  picture: Picture,
  maps: CellMaps,
  heatmaps: Readonly<Record<MapName, Uint8Array>>,
  heatmapOrientation: PixelOrientation = 'upright',
): Promise<Prints> {
  const { width, height, orientation } = picture.facts;
  const whole = sharp(picture.rgb, { raw: { width, height, channels: 3 } });
  return {
    original: await shrinkTo(whole, { width, height }, maxPixels),
    heatmaps: await forEachMap((name) => {
      const image = sharp(heatmaps[name]);
      const upright = heatmapOrientation === 'upright' ? image : turnUpright(image, orientation);
      return shrinkTo(upright, { width, height }, name === 'fake' ? maxSmallPixels : maxTinyPixels);
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

/** Always upright, in the largest blocks of pixels that do not show. */
async function printMethods(picture: Picture, maps: CellMaps): Promise<Prints['methods']> {
  const { width, height } = picture.facts;
  const blockPx = Math.max(1, Math.floor(Math.sqrt((width * height) / maxTinyPixels)));
  const canvas = createCanvas(picture, maps, blockPx);
  const palette = toPalette();
  const pictures: Record<string, Uint8Array> = {};
  for (const [method, values] of Object.entries(maps.methods)) {
    // A method's value of 0.5 means nothing, so the colours start there: no finding is grey, not half-way to alarm.
    canvas.draw(values.map((value) => Math.max(0, 2 * value - 65_535)));
    const drawn = sharp(encodePalettePng(canvas, palette));
    pictures[method] = await shrinkTo(drawn, { width, height }, maxTinyPixels);
  }
  return pictures;
}
