/** Opens a file in any format: reads its structure, before any pixel is decoded. */

import { type Format, formatNames } from '../contract/vocabulary.ts';
import { failure } from '../contract/errors.ts';
import type { FileFacts } from './file-facts.ts';
import { largestJpegIn, sniffFormat, sniffOther } from './file-kind.ts';
import { openJpeg } from './jpeg-metadata.ts';
import { readJpeg } from './jpeg-structure.ts';
import type { Limits } from './picture.ts';
import type { Size } from './pixels.ts';
import { openPng, readPngSize } from './png.ts';
import { readers } from './readers.ts';

/**
 * Reads the structure of a file: format, size in pixels, metadata. Decodes no pixels.
 *
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`,
 *   `image_too_small`, `image_too_large`, `image_unreadable`.
 */
export function openContainer(bytes: Uint8Array, limits: Limits) {
  checkSizeBytes(bytes.length, limits);
  const format = requireFormat(bytes, limits);
  // Checked before anything else is read, because a decompression bomb of a few bytes can claim any size.
  if (format === 'png') checkDimensions(readPngSize(bytes), limits);
  const file = readFile(bytes, format);
  checkDimensions(file, limits);
  return { format, file };
}

/** @throws {ForensicsError} `image_empty`, `image_too_many_bytes`. */
export function checkSizeBytes(sizeBytes: number, limits: Limits): void {
  if (sizeBytes === 0) throw failure('empty', {});
  if (sizeBytes > limits.maxBytes) {
    const values = { megabytes: inMegabytes(sizeBytes), limit: inMegabytes(limits.maxBytes) };
    throw failure('too_many_bytes', values);
  }
}

/** @throws {ForensicsError} `image_too_small`, `image_too_large`. */
function checkDimensions({ width, height }: Size, limits: Limits): void {
  const { minSidePx: least, maxSidePx: most, maxPixels } = limits;
  const range = { width, height, least, most };
  if (width < least || height < least) throw failure('side_too_short', range);
  if (width > most || height > most) throw failure('side_too_long', range);
  if (width * height > maxPixels) {
    throw failure('too_many_pixels', { width, height, megapixels: maxPixels / 1e6 });
  }
}

/** Rounds up, so that a file just above the limit is not reported as being exactly as large as the limit. */
function inMegabytes(sizeBytes: number): number {
  return Math.ceil((sizeBytes / 1e6) * 10) / 10;
}

function requireFormat(bytes: Uint8Array, limits: Limits): Format {
  const format = sniffFormat(bytes);
  if (format === null) {
    const other = sniffOther(bytes);
    throw other.kind === 'video' ? failure('video', {}) : failure('other_format', other);
  }
  if (!limits.formats.includes(format))
    throw failure('format_not_taken', { format: formatNames[format] });
  return format;
}

function readFile(bytes: Uint8Array, format: Format): FileFacts {
  if (format === 'jpg') return openJpeg(bytes);
  if (format === 'png') return openPng(bytes);
  return format === 'raw' ? openRaw(bytes) : readers[format](bytes);
}

/** Opens the JPEG inside a camera raw file, with the metadata of both. */
function openRaw(bytes: Uint8Array): FileFacts {
  const found = largestJpegIn(bytes);
  if (found === null) throw failure('raw_without_jpeg', {});
  const file = openJpeg(found.subarray(0, readJpeg(found).endOffset));
  return {
    ...file,
    exif: [...file.exif, bytes],
    endOffset: bytes.length,
    hasCredentials: false,
    pictureIndex: null,
    notes: ['jpeg_of_raw', ...file.notes],
  };
}
