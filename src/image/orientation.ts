import { readDirectories, wholeNumberOf } from './tiff.ts';

const orientationTag = 0x0112;

/**
 * How the stored picture is turned and mirrored to stand upright.
 *
 * @param tiff - A TIFF structure, without the `Exif\0\0` before it; null when the file holds none.
 * @returns 1..8; 1 when absent, impossible or beyond the end of the block.
 * @see EXIF 2.32, tag 0x0112.
 */
export function readOrientation(tiff: Uint8Array | null): number {
  const value = wholeNumberOf(readDirectories(tiff).primary.get(orientationTag));
  return value !== null && value >= 1 && value <= 8 ? value : 1;
}

/** How the pixels of a picture lie: as a viewer shows them, or as the file holds them. */
export type Stance = 'upright' | 'stored';

/** True when the upright picture is as wide as the stored one is high. */
export function isQuarterTurn(orientation: number): boolean {
  return orientation >= 5;
}
