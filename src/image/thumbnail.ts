/** The small picture that EXIF holds beside the picture itself. */

import { decodePixels } from './codec.ts';
import { openContainer } from './container.ts';
import { readExifClues } from './exif-clues.ts';
import type { Limits } from './limits.ts';
import { toLuma, toRgb } from './planes.ts';

/** As it is stored: EXIF orientation is about the picture, and cameras turn their thumbnails or leave them. */
export interface Thumbnail {
  readonly width: number;
  readonly height: number;
  /** Row-major luma, 0..255. */
  readonly luma: Uint8Array;
}

const limits: Limits = { minSidePx: 16, maxSidePx: 1024, maxBytes: 256 * 1024 };

/** @param tiff - EXIF without the `Exif\0\0` before it. Null where it holds none that can be decoded. Never throws. */
export async function readThumbnail(tiff: Uint8Array | null): Promise<Thumbnail | null> {
  const { thumbnail } = readExifClues(tiff);
  if (thumbnail === null) return null;
  try {
    return await decodeThumbnail(thumbnail);
  } catch {
    return null;
  }
}

async function decodeThumbnail(bytes: Uint8Array): Promise<Thumbnail> {
  const { container } = openContainer(bytes, limits);
  const { storedWidth, storedHeight, colourSpace } = container.facts;
  const { width, height, ...pixels } = await decodePixels({
    bytes: container.pixelBytes,
    width: storedWidth,
    height: storedHeight,
    orientation: 1,
    isCmyk: colourSpace === 'CMYK' || colourSpace === 'YCCK',
  });
  return { width, height, luma: toLuma(toRgb(pixels).rgb) };
}
