import type { Sharp } from 'sharp';
import { readDirectories, readWholeNumber } from './tiff.ts';

const orientationTag = 0x0112;

/**
 * How the stored picture is turned and mirrored to stand upright.
 *
 * @param blocks - TIFF structures, without the `Exif\0\0` before them; the first that states one counts.
 * @returns 1..8; 1 when absent, impossible or beyond the end of the block.
 * @see EXIF 2.32, tag 0x0112.
 */
export function readOrientation(blocks: readonly Uint8Array[]): number {
  const values = blocks.map((tiff) =>
    readWholeNumber(readDirectories(tiff).primary.get(orientationTag)),
  );
  return values.find((value) => value !== null && value >= 1 && value <= 8) ?? 1;
}

/** Orientation of the pixels of a picture: as a viewer shows them, or as the file stores them. */
export type PixelOrientation = 'upright' | 'stored';

/** True when the upright picture is as wide as the stored one is high. */
export function isQuarterTurn(orientation: number): boolean {
  return orientation >= 5;
}

/** EXIF 2.32, tag 0x0112: how the stored picture is turned and mirrored to stand upright. sharp mirrors before it turns. */
export function turnUpright(picture: Sharp, orientation: number): Sharp {
  switch (orientation) {
    case 2:
      return picture.flop();
    case 3:
      return picture.rotate(180);
    case 4:
      return picture.flip();
    case 5:
      return picture.flop().rotate(270);
    case 6:
      return picture.rotate(90);
    case 7:
      return picture.flop().rotate(90);
    case 8:
      return picture.rotate(270);
    default:
      return picture;
  }
}

/** Undoes `turnUpright`: a quarter turn by its opposite, all others by themselves. */
export function turnBack(picture: Sharp, orientation: number): Sharp {
  if (orientation === 6) return turnUpright(picture, 8);
  if (orientation === 8) return turnUpright(picture, 6);
  return turnUpright(picture, orientation);
}
