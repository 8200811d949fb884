import type { Sharp } from 'sharp';
import type { MetadataBlocks } from './metadata-blocks.ts';
import type { Size } from './pixels.ts';
import { readDirectories, readWholeNumber } from './tiff.ts';

const orientationTag = 0x0112;

/** 1..8, from the first block (a TIFF structure) that has one; 1 when absent or invalid. @see EXIF 2.32, tag 0x0112. */
export function readOrientation(blocks: readonly Uint8Array[]): number {
  const values = blocks.map((tiff) =>
    readWholeNumber(readDirectories(tiff).primary.get(orientationTag)),
  );
  return values.find((value) => value !== null && value >= 1 && value <= 8) ?? 1;
}

/** The size as displayed: upright, as the decoder will return the picture. */
export function uprightSize(
  file: Size & Pick<MetadataBlocks, 'exif'> & { readonly ownOrientation: number | null },
): Size {
  const { width, height } = file;
  const isTurned = isQuarterTurn(file.ownOrientation ?? readOrientation(file.exif));
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Orientation of a picture's pixels: as displayed, or as stored in the file. */
export type PixelOrientation = 'upright' | 'stored';

/** Whether the upright picture is as wide as the stored one is high. */
export function isQuarterTurn(orientation: number): boolean {
  return orientation >= 5;
}

/** Clockwise. */
type Degrees = 0 | 90 | 180 | 270;

const turns: Readonly<Record<number, readonly [isMirrored: boolean, degrees: Degrees]>> = {
  2: [true, 0],
  3: [false, 180],
  4: [true, 180],
  5: [true, 270],
  6: [false, 90],
  7: [true, 90],
  8: [false, 270],
};

/** Whether to mirror the stored picture horizontally, and by how much to rotate it then (EXIF 2.32, tag 0x0112). */
export function turnsToUpright(orientation: number) {
  return turns[orientation] ?? ([false, 0] as const);
}

/** Rotates and mirrors the stored picture upright; sharp mirrors before rotating. */
export function turnUpright(picture: Sharp, orientation: number): Sharp {
  const [isMirrored, degrees] = turnsToUpright(orientation);
  return picture.flop(isMirrored).rotate(degrees);
}

/** Undoes `turnUpright`: a quarter turn needs the opposite one; every other orientation is its own inverse. */
export function turnBack(picture: Sharp, orientation: number): Sharp {
  if (orientation === 6) return turnUpright(picture, 8);
  if (orientation === 8) return turnUpright(picture, 6);
  return turnUpright(picture, orientation);
}
