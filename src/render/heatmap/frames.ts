/** Draws numbered frames, white on black, into an image with a palette, and lays out two pictures side by side. */

import { constants, crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { Region, Size } from '../../detectors/regions.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { comparedSide, differingParts } from '../../detectors/thumbnail-difference.ts';
import { scalePixels } from '../../image/codec.ts';
import { type Pixels, scaledSize, toLuma } from '../../image/pixels.ts';

/** One palette index for each block of pixels. */
export interface Canvas extends Size {
  readonly blockPx: number;
  readonly indices: Uint8Array;
}

interface Colours {
  readonly black: number;
  readonly white: number;
}

/** Inside the frame or, if the frame is small, above it, so that the number hides nothing. */
export function numberTop(
  { top, width, height }: Pick<Region, 'top' | 'width' | 'height'>,
  label: Size,
): number {
  const isLarge = width >= 3 * label.width && height >= 3 * label.height;
  if (isLarge) return top;
  return top >= label.height ? top - label.height : top + height;
}

/**
 * Draws frames in the order in which the regions are numbered.
 *
 * @param regions - in pixels of the picture.
 * @param strokes - how many strokes side by side would cover the longer side. The default remains visible when a large
 *   picture is displayed small.
 */
export function drawFrames(
  canvas: Canvas,
  regions: readonly Region[],
  colours: Colours,
  strokes = 400,
): void {
  const { width, height, blockPx } = canvas;
  const stroke = Math.max(1, Math.round(Math.max(width, height) / strokes));
  const boxes = regions.map((region) => ({
    left: Math.floor(region.left / blockPx),
    top: Math.floor(region.top / blockPx),
    right: Math.ceil((region.left + region.width) / blockPx),
    bottom: Math.ceil((region.top + region.height) / blockPx),
  }));
  for (const box of boxes) {
    drawFrame(canvas, grown(box, 2 * stroke), 3 * stroke, colours.black);
    drawFrame(canvas, grown(box, stroke), stroke, colours.white);
  }
  // Drawn on top of all frames, so that no frame crosses a number.
  boxes.forEach(({ left, top, right, bottom }, at) => {
    const dot = 2 * stroke;
    const box = { top, width: right - left, height: bottom - top };
    const label = { width: 5 * dot, height: 7 * dot };
    drawNumber(canvas, { number: at + 1, left, top: numberTop(box, label), dot }, colours);
  });
}

type Box = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

function grown({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

function drawFrame(canvas: Canvas, box: Box, thick: number, index: number): void {
  const { left, top, right, bottom } = box;
  fill(canvas, { ...box, bottom: top + thick }, index);
  fill(canvas, { ...box, top: bottom - thick }, index);
  fill(canvas, { ...box, right: left + thick }, index);
  fill(canvas, { ...box, left: right - thick }, index);
}

function fill({ indices, width, height }: Canvas, box: Box, index: number): void {
  const [from, to] = [Math.max(0, box.left), Math.min(width, box.right)];
  for (let y = Math.max(0, box.top); y < Math.min(height, box.bottom); y++) {
    indices.fill(index, y * width + from, y * width + Math.max(from, to));
  }
}

/** Bitmaps of the digits, 3 dots wide and 5 high, row-major; a set bit is a white dot. */
const digits = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 7, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 1, 1],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
] as const;

/** Draws a number on a black background, whose upper left corner is at (left, top); `dot` is the side of a dot. */
function drawNumber(
  canvas: Canvas,
  { number, left, top, dot }: Readonly<Record<'number' | 'left' | 'top' | 'dot', number>>,
  { black, white }: Colours,
): void {
  const written = Array.from(String(number), (digit) => digits[Number(digit)]!);
  const at = (column: number, row: number, across: number, down: number): Box => ({
    left: left + column * dot,
    top: top + row * dot,
    right: left + (column + across) * dot,
    bottom: top + (row + down) * dot,
  });
  fill(canvas, at(0, 0, 4 * written.length + 1, 7), black);
  written.forEach((rows, place) => {
    rows.forEach((bits, row) => {
      for (let column = 0; column < 3; column++) {
        if ((bits & (4 >> column)) === 0) continue;
        fill(canvas, at(4 * place + column + 1, row + 1, 1, 1), white);
      }
    });
  });
}

export interface AlignedPictures {
  /** A JPEG: `one` on the left, `other` on the right. */
  readonly jpeg: Uint8Array;
  readonly differing: number;
}

/** Size of each picture: 200 dpi for a figure 8 cm wide. */
const maxPixels = 250_000;

/** @param alignment - the position of `one` in `other`. */
export async function layBeside(
  one: Pixels,
  other: Pixels,
  alignment: NonNullable<SeenBefore['alignment']>,
): Promise<AlignedPictures> {
  const [own, its] = cutAlike(one, other, alignment);
  const scale = Math.min(1, Math.sqrt(maxPixels / (own.width * own.height)));
  const size = scaledSize(own, scale);
  const left = await cut(one, own, size);
  const right = await cut(other, its, size, alignment.isMirrored);
  const coarse = scaledSize(size, Math.min(1, comparedSide / Math.max(size.width, size.height)));
  const parts = differingParts(toPlane(left), toPlane(await scalePixels(right, coarse)));
  const gap = Math.max(4, Math.round(size.width / 50));
  const raw = { ...size, channels: 3 } as const;
  const input = Buffer.from(framed(right, parts));
  const jpeg = await sharp(framed(left, parts), { raw })
    .extend({ right: gap + size.width, background: '#fff' })
    .composite([{ input, raw, left: size.width + gap, top: 0 }])
    .jpeg({ quality: 82 })
    .toBuffer();
  return { jpeg, differing: parts.length };
}

/** The area that both pictures show, in pixels of each. */
function cutAlike(
  one: Size,
  other: Size,
  { isMirrored, scale, left, top }: NonNullable<SeenBefore['alignment']>,
) {
  const [longer, itsLonger] = [one, other].map((each) => Math.max(each.width, each.height));
  const along = (length: number, itsLength: number, offset: number) => {
    const from = Math.max(0, -offset / scale);
    const to = Math.min(length / longer!, (itsLength / itsLonger! - offset) / scale);
    return { from, length: to - from, itsFrom: scale * from + offset };
  };
  const x = along(one.width, other.width, left);
  const y = along(one.height, other.height, top);
  const ownLeft = isMirrored ? one.width / longer! - x.from - x.length : x.from;
  const box = (by: number, fromX: number, fromY: number, factor: number) => ({
    left: by * fromX,
    top: by * fromY,
    width: by * factor * x.length,
    height: by * factor * y.length,
  });
  return [box(longer!, ownLeft, y.from, 1), box(itsLonger!, x.itsFrom, y.itsFrom, scale)] as const;
}

async function cut(
  { rgb, width, height }: Pixels,
  box: Omit<Region, 'share'>,
  size: Size,
  isMirrored = false,
): Promise<Pixels> {
  const left = Math.min(width - 1, Math.round(box.left));
  const top = Math.min(height - 1, Math.round(box.top));
  const cutting = sharp(rgb, { raw: { width, height, channels: 3 } })
    .extract({
      left,
      top,
      width: Math.max(1, Math.min(width - left, Math.round(box.width))),
      height: Math.max(1, Math.min(height - top, Math.round(box.height))),
    })
    .flop(isMirrored)
    .resize({ ...size, fit: 'fill', kernel: 'cubic' });
  return { ...size, rgb: await cutting.raw({ depth: 'uchar' }).toBuffer() };
}

function toPlane(pixels: Pixels) {
  return { width: pixels.width, height: pixels.height, luma: toLuma(pixels.rgb) };
}

function framed({ width, height, rgb }: Pixels, parts: readonly Region[]): Uint8Array {
  const indices = new Uint8Array(width * height);
  // The report prints two pictures at half the usual size.
  drawFrames({ width, height, blockPx: 1, indices }, parts, { black: 1, white: 2 }, 200);
  return rgb.map((value, at) => [value, 0, 255][indices[Math.floor(at / 3)]!]!);
}

// Encodes PNG files with a given palette; sharp would choose its own colours.

/**
 * @param palette - RGB bytes, at most 256 colours.
 * @param orientation - stated in EXIF, so that a viewer that turns the photograph turns this file in the same way.
 * @returns a PNG file with 8 bits per pixel, as in PNG Specification, Third Edition (W3C 2025).
 */
export function encodePalettePng(
  image: Omit<Canvas, 'blockPx'>,
  palette: Uint8Array,
  orientation = 1,
): Uint8Array {
  const { width, height } = image;
  const exif = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  exif[19] = orientation;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, palette; compression, filter and interlace have only one useful value each: 0.
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(orientation === 1 ? [] : [chunk('eXIf', exif)]),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(filtered(image), { strategy: constants.Z_RLE })),
    chunk('IEND', new Uint8Array()),
  ]);
}

/**
 * An index is the value step times the number of brightness steps, plus brightness, and changes little from row to
 * row. Storing each row as its difference from the row above leaves long runs: a fifth smaller, in half the time.
 */
function filtered({ width, height, indices }: Omit<Canvas, 'blockPx'>): Uint8Array {
  const up = 2;
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0, at = 0; y < height; y++) {
    const to = y * (width + 1);
    rows[to] = up;
    for (let x = 1; x <= width; x++, at++) rows[to + x] = indices[at]! - (indices[at - width] ?? 0);
  }
  return rows;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
