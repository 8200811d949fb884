/** Reads what a file's header says about the picture, before anything is sent. */

import type { Format } from '../../contract/vocabulary.ts';
import type { PictureLimits } from '../../contract/auth.ts';
import { maxPixels, sidesOfEverything } from '../../contract/limits.ts';
import { largestJpegIn, readJpegFrame, sniffFormat, sniffOther } from '../../image/file-kind.ts';
import { ascii, dataView } from '../../image/bytes.ts';
import { uprightSize } from '../../image/orientation.ts';
import type { Size } from '../../image/pixels.ts';
import { readers } from '../../image/readers.ts';
import type { Words } from '../words/words.ts';

export type Refusal = keyof Words['upload']['refusals'];

/** A JPEG's size comes after its metadata; no camera writes more metadata than this. */
const headBytes = 4_000_000;

export async function inspect(
  file: Blob,
  { minSidePx, maxSidePx, maxBytes, formats }: PictureLimits,
): Promise<(Size & { readonly format: Format }) | Refusal> {
  if (file.size === 0) return 'empty';
  if (file.size > maxBytes) return 'tooManyBytes';
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const format = sniffFormat(head);
  const { kind } = sniffOther(head);
  if (format === null) return kind === 'pdf' || kind === 'zip' ? kind : 'notPicture';
  if (!formats.includes(format)) return 'otherFormat';
  const size = await sizeOf(file, head, format);
  // A JPEG's frame comes after its metadata, in which a truncated file may end.
  if (size === null) return format === 'jpg' && file.size <= headBytes ? 'cutOff' : 'notPicture';
  const { width, height } = size;
  if (Math.min(width, height) < minSidePx) return 'tooSmall';
  const side = Math.max(width, height);
  if (width * height > maxPixels || side > sidesOfEverything.server) return 'tooManyPixels';
  if (side > maxSidePx) return 'tooLarge';
  return { format, width, height };
}

/** As displayed, because heatmaps must fit the picture in a browser. Null if the content contradicts the first bytes. */
async function sizeOf(file: Blob, head: Uint8Array, format: Format): Promise<Size | null> {
  if (format === 'png') return readPng(head);
  if (format === 'jpg') return uprightJpeg(head);
  // In these formats, directories may come at the end of the file.
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (format === 'raw') {
    const jpeg = largestJpegIn(bytes);
    return jpeg && uprightJpeg(jpeg, bytes);
  }
  try {
    return uprightSize(readers[format](bytes));
  } catch {
    return null;
  }
}

/** @param tiff - a raw file around it, whose EXIF applies if the JPEG has none. */
function uprightJpeg(bytes: Uint8Array, ...tiff: readonly Uint8Array[]): Size | null {
  const frame = readJpegFrame(bytes);
  return frame && uprightSize({ ...frame, exif: [...frame.exif, ...tiff], ownOrientation: null });
}

/** @see W3C PNG, 5.3 for chunks, 11.2.1 for the header, which comes first. */
function readPng(bytes: Uint8Array): Size | null {
  if (bytes.length < 24) return null;
  const view = dataView(bytes);
  const exif: Uint8Array[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (ascii(bytes, at + 4, 4) === 'eXIf') exif.push(bytes.subarray(at + 8));
  }
  const stored = { width: view.getUint32(16), height: view.getUint32(20) };
  return uprightSize({ ...stored, exif, ownOrientation: null });
}

const maxNameLength = 255;

/** Names have at most 255 characters; the file name keeps the full name. */
export function toName(fileName: string): string {
  const points = Array.from(fileName.trim() || 'picture');
  return points.length <= maxNameLength ? points.join('') : `${points.slice(0, 254).join('')}…`;
}
