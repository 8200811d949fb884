/**
 * Turns a file's bytes into a Picture: checked, decoded once, hashed and described. It knows nothing about models,
 * verdicts or people. Whatever is rejected is rejected before a pixel is decoded.
 */

import { hash } from 'node:crypto';
import { contractFormats } from '../contract/formats.ts';
import { type Container, openContainer } from './container.ts';
import { decodePixels } from './decode-pixels.ts';
import { readExifClues } from './exif.ts';
import { formatOfName } from './file-kind.ts';
import { readMetadata } from './metadata.ts';
import {
  defaultLimits,
  type Limits,
  type Picture,
  type PictureNote,
  pictureNotes,
} from './picture.ts';
import { toLuma, toRgb } from './pixels.ts';
import { readStealthText } from './stealth.ts';

interface DecodeOptions {
  /** The file's name, used only to note an extension that does not match the content. Never opened or stored. */
  readonly name?: string;
  readonly limits?: Limits;
}

/**
 * Decodes the picture upright, in 8-bit RGB as stored: RGB and grey are not colour-managed.
 *
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`, `image_too_small`,
 *   `image_too_large`, `image_unreadable`.
 */
export async function decodePicture(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<Picture> {
  const { name, limits = defaultLimits } = options;
  const { format, container } = openContainer(bytes, limits);
  const { metadata, orientation: ofExif } = readMetadata(container.clues.blocks);
  const orientation = container.ownOrientation ?? ofExif;
  const decoding = decodePixels(format, container, orientation);
  // sharp decodes in its own thread; the digests are computed in the meantime.
  const digests = digest(bytes);
  const { pixels, notes: oddities, soundShare } = await decoding;
  const { width, height } = pixels;
  const { rgb, hadTransparency } = toRgb(pixels);
  const hiddenText = readStealthText(pixels);
  const named = name === undefined ? null : formatOfName(name);
  const notes = allNotes(container, oddities, {
    transparency_flattened_on_white: hadTransparency,
    rotated_by_exif: orientation !== 1 && container.ownOrientation === null,
    rotated_by_container: orientation !== 1 && container.ownOrientation !== null,
    extension_disagrees: named !== null && named !== format,
  });
  const shown = { format, sizeBytes: bytes.length, ...digests, width, height, orientation };
  const share = soundShare < 1 ? { soundShare } : {};
  const facts = { ...shown, ...container.facts, notes, ...share, metadata };
  const thumbnail = await readThumbnail(container.clues.blocks.exif);
  return {
    facts,
    rgb,
    luma: toLuma(rgb),
    ...(thumbnail !== null && { thumbnail }),
    ...(hiddenText !== null && { hiddenText }),
  };
}

/** Lower-case hex digests of the file. */
function digest(bytes: Uint8Array) {
  return {
    sha256: hash('sha256', bytes),
    sha512: hash('sha512', bytes),
    md5: hash('md5', bytes),
  };
}

/** Sorted in the order of `pictureNotes`, so that equal pictures have equal notes. */
function allNotes(
  { facts: { colourSpace, bitsPerSample }, notes }: Container,
  oddities: readonly PictureNote[],
  seen: Partial<Record<PictureNote, boolean>>,
): PictureNote[] {
  const applies: Partial<Record<PictureNote, boolean>> = {
    ...seen,
    converted_from_cmyk: colourSpace === 'CMYK' || colourSpace === 'YCCK',
    converted_from_grey: colourSpace === 'grey',
    reduced_from_16_bit: bitsPerSample === 16,
    reduced_to_8_bit: bitsPerSample > 8 && bitsPerSample !== 16,
  };
  const found: readonly PictureNote[] = [...notes, ...oddities];
  return pictureNotes.filter((note) => applies[note] === true || found.includes(note));
}

export type Thumbnail = NonNullable<Picture['thumbnail']>;

const limits: Limits = {
  minSidePx: 16,
  maxSidePx: 1024,
  maxPixels: 1024 * 1024,
  maxBytes: 256 * 1024,
  formats: contractFormats,
};

/** @param exif - EXIF blocks of the file. Returns null if none contains a thumbnail that can be decoded. Never throws. */
async function readThumbnail(exif: readonly Uint8Array[]): Promise<Thumbnail | null> {
  const { thumbnail } = readExifClues(exif);
  if (thumbnail === null) return null;
  try {
    const { format, container } = openContainer(thumbnail, limits);
    const { pixels } = await decodePixels(format, container, 1);
    return { width: pixels.width, height: pixels.height, luma: toLuma(toRgb(pixels).rgb) };
  } catch {
    return null;
  }
}
