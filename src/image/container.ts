/** The facts of both containers before a pixel is decoded, in one shape. */

import { failure } from '../contract/failure-reasons.ts';
import { nameIccProfile } from './icc.ts';
import { markers } from './jpeg-markers.ts';
import {
  hasJpegCredentials,
  isIccSegment,
  isNeededForPixels,
  jpegColourSpace,
  jpegIccProfile,
  jpegMetadataBlocks,
  jpegPictureIndex,
} from './jpeg-metadata.ts';
import { type JpegFile, readJpeg } from './jpeg-structure.ts';
import type { MetadataBlocks } from './metadata-blocks.ts';
import { readOrientation } from './orientation.ts';
import {
  checkDimensions,
  checkSizeBytes,
  describeContent,
  type Format,
  isForeignPicture,
  type Limits,
  type PictureFacts,
  sniffForeign,
  sniffFormat,
} from './picture.ts';
import { pngIccName, pngMetadataBlocks } from './png-metadata.ts';
import { colourTypes, readPng, readPngSize } from './png.ts';

/** The facts that stand in the file's structure. */
type StoredFacts = Pick<
  PictureFacts,
  | 'storedWidth'
  | 'storedHeight'
  | 'bitsPerSample'
  | 'channels'
  | 'colourSpace'
  | 'hasAlpha'
  | 'iccProfile'
  | 'jpeg'
>;

export interface Container {
  readonly facts: StoredFacts;
  readonly isAnimated: boolean;
  readonly metadataBlocks: MetadataBlocks;
  /** The file without what its pixels do not need. */
  readonly pixelBytes: Uint8Array;
}

/**
 * The file as its structure describes it: format, size in pixels, metadata. No pixel is decoded.
 *
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`, `image_too_small`,
 * `image_too_large`, `image_unreadable`.
 */
export function openContainer(
  bytes: Uint8Array,
  limits: Limits,
): { readonly format: Format; readonly container: Container } {
  checkSizeBytes(bytes.length, limits);
  const format = requireFormat(bytes);
  const container = format === 'jpg' ? openJpeg(bytes, limits) : openPng(bytes, limits);
  return { format, container };
}

function requireFormat(bytes: Uint8Array): Format {
  const format = sniffFormat(bytes);
  if (format !== null) return format;
  const kind = sniffForeign(bytes);
  const name = describeContent(bytes);
  throw failure('other_format', { kind, name, isPicture: isForeignPicture(bytes) });
}

/** @throws {ForensicsError} `image_unreadable`, `image_not_supported`, `image_too_small`, `image_too_large`. */
function openJpeg(bytes: Uint8Array, limits: Limits): Container {
  const file = readJpeg(bytes);
  checkDimensions(file.width, file.height, limits);
  const ids = file.structure.components.map(({ id }) => id);
  const profile = jpegIccProfile(file.segments);
  const facts: StoredFacts = {
    storedWidth: file.width,
    storedHeight: file.height,
    bitsPerSample: file.structure.precision,
    channels: ids.length,
    colourSpace: jpegColourSpace(file.segments, ids),
    hasAlpha: false,
    iccProfile: profile && nameIccProfile(profile),
    jpeg: file.structure,
  };
  return {
    facts,
    isAnimated: false,
    metadataBlocks: jpegMetadataBlocks(file.segments),
    pixelBytes: cutPixelBytes(bytes, file),
  };
}

/** @throws {ForensicsError} `image_unreadable`, `image_too_small`, `image_too_large`. */
export function openPng(bytes: Uint8Array, limits: Limits): Container {
  // Before anything else is read: a bomb of a few bytes can claim any size.
  const { width, height } = readPngSize(bytes);
  checkDimensions(width, height, limits);
  const file = readPng(bytes);
  const { name, channels } = colourTypes[file.colourType];
  const isTransparentByKey = file.hasAlpha && (channels === 1 || channels === 3);
  const facts: StoredFacts = {
    storedWidth: width,
    storedHeight: height,
    bitsPerSample: file.bitDepth,
    channels: isTransparentByKey ? channels + 1 : channels,
    colourSpace: name,
    hasAlpha: file.hasAlpha,
    iccProfile: pngIccName(file),
    jpeg: null,
  };
  return {
    facts,
    isAnimated: file.isAnimated,
    metadataBlocks: pngMetadataBlocks(file),
    pixelBytes: Buffer.concat(file.pixelRanges.map(([start, end]) => bytes.subarray(start, end))),
  };
}

/**
 * The EXIF orientation 1..8 alone, as the decoder will see it; 1 when absent.
 *
 * @throws {ForensicsError} `image_unreadable`, `image_not_supported`.
 */
export function orientationIn(bytes: Uint8Array, format: Format): number {
  return readOrientation(readFileClues(bytes, format).blocks.exif);
}

/** What a file contains besides its picture. */
export interface FileClues {
  readonly blocks: MetadataBlocks;
  /** Position behind the picture. */
  readonly endOffset: number;
  readonly hasCredentials: boolean;
  readonly pictureIndex: ReturnType<typeof jpegPictureIndex>;
}

/** @throws {ForensicsError} `image_unreadable`, `image_not_supported`. */
export function readFileClues(bytes: Uint8Array, format: Format): FileClues {
  if (format === 'png') {
    const { hasCredentials, endOffset, ...file } = readPng(bytes);
    return { blocks: pngMetadataBlocks(file), endOffset, hasCredentials, pictureIndex: null };
  }
  const { segments, endOffset } = readJpeg(bytes);
  return {
    blocks: jpegMetadataBlocks(segments),
    endOffset,
    hasCredentials: hasJpegCredentials(segments),
    pictureIndex: jpegPictureIndex(segments),
  };
}

/** From SOI to EOI without metadata. The colour profile stays only for CMYK, which has no RGB without one. */
function cutPixelBytes(bytes: Uint8Array, { segments, structure }: JpegFile): Uint8Array {
  const isCmyk = structure.components.length === 4;
  const parts = segments.flatMap((segment, index) => {
    const isWanted = isNeededForPixels(segment) || (isCmyk && isIccSegment(segment));
    if (!isWanted) return [];
    // A scan's header is followed by its entropy-coded data, up to the next segment.
    const isScan = segment.marker === markers.sos;
    return bytes.subarray(segment.offset, isScan ? segments[index + 1]?.offset : segment.end);
  });
  return Buffer.concat(parts);
}
