/** Finds in the browser where two aligned pictures differ, as the report does. */

import { comparedSide, differingParts } from '../../detectors/thumbnail-difference.ts';
import { toLuma, toRgb } from '../../image/pixels.ts';
import type { Box, Layer } from './viewer.tsx';
import type { Size } from './view.ts';

/** Of the part that both show; more would not change what is found. */
const maxPixels = 250_000;

/**
 * @param size - of the lower picture. The upper one has a size and a transform of its own.
 * @returns in pixels of the lower picture. Rejects if the browser cannot load or decode one.
 */
export async function findDifferences(
  lower: Layer,
  upper: Layer,
  size: Size,
): Promise<readonly Box[]> {
  const [below, above] = await Promise.all([lower, upper].map(loadPicture));
  const placed = new DOMMatrix(upper.transform);
  const shared = overlap(size, upper.size!, placed);
  const scale = Math.min(1, Math.sqrt(maxPixels / (shared.width * shared.height)));
  const coarse = Math.min(scale, comparedSide / Math.max(shared.width, shared.height));
  return differingParts(
    draw(above!, placed, shared, scale),
    draw(below!, new DOMMatrix(), shared, coarse),
  ).map(({ left, top, width, height }) => ({
    left: shared.left + left / scale,
    top: shared.top + top / scale,
    width: width / scale,
    height: height / scale,
  }));
}

async function loadPicture({ url }: Layer): Promise<ImageBitmap> {
  // A copy in the cache was loaded as an image, so it may lack the header that permits reading it.
  const response = await fetch(url, { cache: 'no-store' });
  return createImageBitmap(await response.blob());
}

function overlap(lower: Size, upper: Size, placed: DOMMatrix): Box {
  const one = placed.transformPoint({ x: 0, y: 0 });
  const other = placed.transformPoint({ x: upper.width, y: upper.height });
  const left = Math.max(0, Math.min(one.x, other.x));
  const top = Math.max(0, Math.min(one.y, other.y));
  const width = Math.min(lower.width, Math.max(one.x, other.x)) - left;
  const height = Math.min(lower.height, Math.max(one.y, other.y)) - top;
  return { left, top, width, height };
}

function draw(picture: ImageBitmap, placed: DOMMatrix, shared: Box, scale: number) {
  const width = Math.max(1, Math.round(shared.width * scale));
  const height = Math.max(1, Math.round(shared.height * scale));
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  const moved = new DOMMatrix().scale(scale).translate(-shared.left, -shared.top);
  context.setTransform(moved.multiply(placed));
  context.drawImage(picture, 0, 0);
  const data = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
  return { width, height, luma: toLuma(toRgb({ data, channels: 4 }).rgb) };
}
