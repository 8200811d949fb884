/**
 * Where a picture goes in a box on the page. A picture much longer than wide is cut into strips laid side by side, as a
 * newspaper breaks a column: scaled as a whole, 65 x 4096 pixels would be a hairline.
 */

import type { Document, HeldImage } from './page.ts';
import type { Size } from './upsample.ts';

/** Longer than this many times its width, and a picture is cut into strips. */
const longest = 5;
/** Points between strips, and points that a pixel may at most take: a tiny picture is not blown up to a blur. */
const gap = 4;
const pointsPerPixel = 2;

export interface Placement {
  /** Points that all strips take together. */
  readonly width: number;
  readonly height: number;
  readonly strips: number;
  /** How the strips follow each other; null for a picture in one piece. */
  readonly reading: 'leftToRight' | 'topToBottom' | null;
  /** Points a pixel. */
  readonly scale: number;
}

/** @param box - points that the figure may take at most. */
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
  // As many strips as fill the box's own shape.
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

export interface Figure {
  /** What `openImage` gave; one object serves every place that shows the picture. */
  readonly image: HeldImage;
  readonly size: Size;
  readonly placement: Placement;
  /** Upper left corner, in points. */
  readonly x: number;
  readonly y: number;
}

export function drawFigure(doc: Document, { image, size, placement, x, y }: Figure): void {
  const { strips, reading, scale } = placement;
  const width = size.width * scale;
  const height = size.height * scale;
  if (reading === null) {
    doc.image(image, x, y, { width, height });
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
    doc.image(image, left - cutX, top - cutY, { width, height });
    doc.restore();
  }
}
