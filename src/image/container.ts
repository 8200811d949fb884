/** The facts of a file in any format, in one structure, before any pixel is decoded. */

import { type Format, formatNames } from '../contract/formats.ts';
import { failure } from '../contract/failure-reasons.ts';
import type { FileFacts } from './file-facts.ts';
import { describeContent, isDrawing, sniffFormat, sniffOtherKind } from './file-kind.ts';
import { nameIccProfile } from './icc.ts';
import {
  hasJpegCredentials,
  jpegColourSpace,
  jpegIccProfile,
  jpegMetadataBlocks,
  jpegPictureIndex,
  jpegPixelBytes,
} from './jpeg-metadata.ts';
import { holdsEveryScan, readJpeg } from './jpeg-structure.ts';
import type { FileClues } from './metadata-blocks.ts';
import { readOrientation } from './orientation.ts';
import {
  checkDimensions,
  checkSizeBytes,
  type Limits,
  type PictureFacts,
  type PictureNote,
} from './picture.ts';
import {
  colourTypes,
  type PngFile,
  pngIccName,
  pngMetadataBlocks,
  pngPixelBytes,
  readPng,
  readPngSize,
} from './png.ts';
import { largestJpegIn } from './raw.ts';
import { readers } from './readers.ts';

/** The facts that can be read from the file's structure. */
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
  readonly clues: FileClues;
  /** Orientation 1..8 if the format itself states one, which its decoder then applies; null if EXIF determines it. */
  readonly ownOrientation: number | null;
  /** Anything unusual about the file, and anything that was not read. */
  readonly notes: readonly PictureNote[];
  /** For JPEG and PNG, only the parts of the file that the pixels need; for other formats, the whole file. */
  readonly pixelBytes: Uint8Array;
  readonly png?: PngFile;
}

/**
 * Reads the structure of a file: format, size in pixels, metadata. Decodes no pixels.
 *
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`,
 *   `image_too_small`, `image_too_large`, `image_unreadable`.
 */
export function openContainer(
  bytes: Uint8Array,
  limits: Limits,
): { readonly format: Format; readonly container: Container } {
  checkSizeBytes(bytes.length, limits);
  const format = requireFormat(bytes, limits);
  // Checked before anything else is read, because a decompression bomb of a few bytes can claim any size.
  if (format === 'png') {
    const { width, height } = readPngSize(bytes);
    checkDimensions(width, height, limits);
  }
  const container = readContainer(bytes, format);
  checkDimensions(container.facts.storedWidth, container.facts.storedHeight, limits);
  return { format, container };
}

function requireFormat(bytes: Uint8Array, limits: Limits): Format {
  const format = sniffFormat(bytes);
  if (format === null) {
    const kind = sniffOtherKind(bytes);
    if (kind === 'video') throw failure('video', {});
    const name = describeContent(bytes);
    throw failure('other_format', { kind, name, isPicture: isDrawing(kind) });
  }
  if (!limits.formats.includes(format))
    throw failure('format_not_taken', { format: formatNames[format] });
  return format;
}

function readContainer(bytes: Uint8Array, format: Format): Container {
  if (format === 'jpg') return openJpeg(bytes);
  if (format === 'png') return openPng(bytes);
  return format === 'raw' ? openRaw(bytes) : toContainer(bytes, readers[format](bytes));
}

function openJpeg(bytes: Uint8Array): Container {
  const file = readJpeg(bytes);
  // If the last scans are missing, every row is coarser than it was stored, but no decoder reports this.
  if (!file.hasEnd && !holdsEveryScan(file)) throw failure('cut_off', { format: 'JPEG' });
  const ids = file.structure.components.map(({ id }) => id);
  const profile = jpegIccProfile(file.segments);
  const { pixelBytes, notes } = jpegPixelBytes(bytes, file);
  return {
    facts: {
      storedWidth: file.width,
      storedHeight: file.height,
      bitsPerSample: file.structure.precision,
      channels: ids.length,
      colourSpace: jpegColourSpace(file.segments, ids),
      hasAlpha: false,
      iccProfile: profile && nameIccProfile(profile),
      jpeg: file.structure,
    },
    clues: {
      blocks: jpegMetadataBlocks(file.segments),
      endOffset: file.endOffset,
      hasCredentials: hasJpegCredentials(file.segments),
      pictureIndex: jpegPictureIndex(file.segments),
    },
    ownOrientation: null,
    notes,
    pixelBytes,
  };
}

function openPng(bytes: Uint8Array): Container {
  const file = readPng(bytes);
  const { name, channels } = colourTypes[file.colourType];
  const isTransparentByKey = file.hasAlpha && (channels === 1 || channels === 3);
  const { endOffset, hasCredentials, isAnimated } = file;
  return {
    facts: {
      storedWidth: file.width,
      storedHeight: file.height,
      bitsPerSample: file.bitDepth,
      channels: isTransparentByKey ? channels + 1 : channels,
      colourSpace: name,
      hasAlpha: file.hasAlpha,
      iccProfile: pngIccName(file),
      jpeg: null,
    },
    clues: { blocks: pngMetadataBlocks(file), endOffset, hasCredentials, pictureIndex: null },
    ownOrientation: null,
    notes: isAnimated ? ['first_frame_of_animation', ...file.notes] : file.notes,
    pixelBytes: pngPixelBytes(file),
    png: file,
  };
}

/** Opens the JPEG inside a camera raw file, with the metadata of both. */
function openRaw(bytes: Uint8Array): Container {
  const found = largestJpegIn(bytes);
  if (found === null) throw failure('raw_without_jpeg', {});
  const container = openJpeg(found.subarray(0, readJpeg(found).endOffset));
  const { blocks } = container.clues;
  return {
    ...container,
    clues: {
      blocks: { ...blocks, exif: [...blocks.exif, bytes] },
      endOffset: bytes.length,
      hasCredentials: false,
      pictureIndex: null,
    },
    notes: ['jpeg_of_raw', ...container.notes],
  };
}

function toContainer(bytes: Uint8Array, file: FileFacts): Container {
  const { width, height, icc, exif, xmp, comments, ...others } = file;
  const { hasCredentials, endOffset, ownOrientation, notes, ...samples } = others;
  const texts = comments.map((text) => ({ place: 'comment', keyword: 'Comment', text }) as const);
  return {
    facts: {
      storedWidth: width,
      storedHeight: height,
      ...samples,
      iccProfile: icc && nameIccProfile(icc),
      jpeg: null,
    },
    clues: {
      blocks: { exif, xmp, photoshop: [], texts, warnings: [] },
      endOffset,
      hasCredentials,
      pictureIndex: null,
    },
    ownOrientation,
    notes,
    pixelBytes: bytes,
  };
}

/** The orientation, 1..8, that the decoder will use. @throws {ForensicsError} as `openContainer`. */
export function orientationIn(bytes: Uint8Array, format: Format): number {
  const { ownOrientation, clues } = readContainer(bytes, format);
  return ownOrientation ?? readOrientation(clues.blocks.exif);
}
