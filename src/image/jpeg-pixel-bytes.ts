/** Builds the JPEG for the decoder: only what the pixels need, with standard headers. */

import { markers } from './jpeg-markers.ts';
import { isIccSegment, isNeededForPixels, isSegment } from './jpeg-metadata.ts';
import type { JpegFile } from './jpeg-structure.ts';
import type { PictureNote } from './picture.ts';

/**
 * Corrects and notes irregularities about which libjpeg merely warns, so that any remaining warning
 * means damage. The colour profile is kept only for CMYK, which has no RGB values without one.
 */
export function jpegPixelBytes(
  bytes: Uint8Array,
  { segments, structure, endOffset, hasEnd }: JpegFile,
): { readonly pixelBytes: Uint8Array; readonly notes: readonly PictureNote[] } {
  const isCmyk = structure.components.length === 4;
  const notes = new Set<PictureNote>();
  const parts = segments.flatMap((segment, index) => {
    const isWanted = isNeededForPixels(segment) || (isCmyk && isIccSegment(segment));
    if (!isWanted) return [];
    const header = bytes.subarray(segment.offset, segment.end);
    if (segment.marker === markers.sos) {
      // The entropy-coded data up to the next segment.
      const data = bytes.subarray(segment.end, segments[index + 1]?.offset ?? endOffset);
      return [structure.progressive ? header : withUsualScan(header, notes), data];
    }
    if (isSegment(segment, markers.app0, 'JFIF\0')) return withKnownVersion(header, notes);
    if (isSegment(segment, markers.app14, 'Adobe'))
      return withKnownTransform(header, notes, isCmyk);
    return header;
  });
  if (!hasEnd) {
    notes.add('end_marker_missing');
    parts.push(endOfImage);
  }
  return { pixelBytes: Buffer.concat(parts), notes: [...notes] };
}

export const endOfImage = Uint8Array.of(0xff, markers.eoi);

/** T.81 B.2.3: the last three bytes of a sequential scan are 0, 63, 0. Samsung's firmware writes 0, 0, 0. */
function withUsualScan(header: Uint8Array, notes: Set<PictureNote>): Uint8Array {
  const [start, end, bits] = header.subarray(-3);
  if (start === 0 && end === 63 && bits === 0) return header;
  notes.add('scan_parameters');
  const usual = Uint8Array.from(header);
  usual.set([0, 63, 0], header.length - 3);
  return usual;
}

/** JFIF only has version 1; a different number does not affect the pixels. */
function withKnownVersion(header: Uint8Array, notes: Set<PictureNote>): Uint8Array {
  const at = 9;
  if (header.length <= at || header[at] === 1) return header;
  notes.add('jfif_version');
  return Uint8Array.from(header).fill(1, at, at + 1);
}

/** libjpeg treats an unknown transform as the usual one. */
function withKnownTransform(
  header: Uint8Array,
  notes: Set<PictureNote>,
  isCmyk: boolean,
): Uint8Array {
  const at = 15;
  if (header.length <= at || header[at]! <= 2) return header;
  notes.add('adobe_transform');
  return Uint8Array.from(header).fill(isCmyk ? 2 : 1, at, at + 1);
}
