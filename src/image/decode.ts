/**
 * Bytes of a file become a Picture: checked, decoded once, hashed, and described. Knows JPEG and PNG; knows nothing of
 * models, verdicts or people. What is refused is refused before a pixel is decoded.
 */

import { hash } from 'node:crypto';
import { decodePixels } from './codec.ts';
import { type Container, openContainer } from './container.ts';
import { readExifClues } from './exif.ts';
import { readMetadata } from './metadata.ts';
import {
  defaultLimits,
  type Format,
  formatOfName,
  type Limits,
  type Picture,
  type PictureNote,
  pictureNotes,
} from './picture.ts';
import { toLuma, toRgb } from './pixels.ts';
import { readStealthText } from './stealth.ts';

interface DecodeOptions {
  /** The file's name, to note an extension that disagrees with the content. Never opened, never stored. */
  readonly name?: string;
  readonly limits?: Limits;
}

/**
 * The picture in `bytes`, upright, in 8-bit RGB as stored: no colour profile is applied to RGB and grey.
 *
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`, `image_too_small`,
 * `image_too_large`, `image_unreadable`.
 */
export async function decodePicture(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<Picture> {
  const { name, limits = defaultLimits } = options;
  const { format, container } = openContainer(bytes, limits);
  const { metadata, orientation } = readMetadata(container.metadataBlocks);
  const decoding = decodePixels({
    bytes: container.pixelBytes,
    width: container.facts.storedWidth,
    height: container.facts.storedHeight,
    orientation,
    isCmyk: isCmyk(container),
  });
  // sharp decodes in a thread of its own; the digests are computed meanwhile.
  const digests = digest(bytes);
  const pixels = await decoding;
  const { width, height } = pixels;
  const { rgb, hadTransparency } = toRgb(pixels);
  const hiddenText = readStealthText(pixels);
  const notes = noteConversions(container, {
    transparency_flattened_on_white: hadTransparency,
    rotated_by_exif: orientation !== 1,
    extension_disagrees: disagrees(name, format),
  });
  const shown = { format, sizeBytes: bytes.length, ...digests, width, height, orientation };
  const facts = { ...shown, ...container.facts, notes, metadata };
  const thumbnail = await readThumbnail(container.metadataBlocks.exif);
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

/** In the order of `pictureNotes`, so that equal pictures have equal notes. */
function noteConversions(
  container: Container,
  seen: Partial<Record<PictureNote, boolean>>,
): PictureNote[] {
  const applies: Partial<Record<PictureNote, boolean>> = {
    ...seen,
    converted_from_cmyk: isCmyk(container),
    converted_from_grey: container.facts.colourSpace === 'grey',
    reduced_from_16_bit: container.facts.bitsPerSample === 16,
    first_frame_of_animation: container.isAnimated,
  };
  return pictureNotes.filter((note) => applies[note] === true);
}

function isCmyk({ facts: { colourSpace } }: Container): boolean {
  return colourSpace === 'CMYK' || colourSpace === 'YCCK';
}

function disagrees(name: string | undefined, format: Format): boolean {
  const named = name === undefined ? null : formatOfName(name);
  return named !== null && named !== format;
}

export type Thumbnail = NonNullable<Picture['thumbnail']>;

const limits: Limits = {
  minSidePx: 16,
  maxSidePx: 1024,
  maxPixels: 1024 * 1024,
  maxBytes: 256 * 1024,
};

/** @param exif - blocks of the file. Null where they hold none that can be decoded. Never throws. */
async function readThumbnail(exif: readonly Uint8Array[]): Promise<Thumbnail | null> {
  const { thumbnail } = readExifClues(exif);
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
