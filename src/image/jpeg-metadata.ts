/** Extracts the metadata from a JPEG file's application segments. */

import { hash } from 'node:crypto';
import { markers, type MarkerSegment } from './jpeg-markers.ts';
import type { MetadataBlocks, Warning } from './metadata-blocks.ts';
import { decodeText } from './text.ts';
import { ascii, dataView } from './bytes.ts';
import type { JpegFile } from './jpeg-structure.ts';
import type { PictureNote } from './picture.ts';

/** EXIF: CIPA DC-008 4.5.5. XMP: ISO 16684-1 and Adobe's XMP specification part 3, 1.1.3. */
const identifiers = {
  exif: 'Exif\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  extendedXmp: 'http://ns.adobe.com/xmp/extension/\0',
  photoshop: 'Photoshop 3.0\0',
  icc: 'ICC_PROFILE\0',
  adobe: 'Adobe',
  jfif: 'JFIF\0',
  mpf: 'MPF\0',
} as const;

export function jpegMetadataBlocks(segments: readonly MarkerSegment[]): MetadataBlocks {
  const find = (marker: number, identifier: string, length = identifier.length) =>
    segments
      .filter((segment) => isSegment(segment, marker, identifier))
      .map(({ payload }) => payload.subarray(length));
  const comments = segments.filter(({ marker }) => marker === markers.com);
  const xmp = find(markers.app1, identifiers.xmp);
  const extended = joinExtendedXmp(find(markers.app1, identifiers.extendedXmp), xmp);
  const photoshop = find(markers.app13, identifiers.photoshop);
  return {
    // `Exif` and a NUL are followed by one byte of padding.
    exif: find(markers.app1, identifiers.exif, 6),
    xmp: [...xmp, ...extended.packets],
    // A resource that is too long for one segment continues in the next.
    photoshop: photoshop.length === 0 ? [] : [Buffer.concat(photoshop)],
    texts: comments.map(({ payload }) => ({
      place: 'comment',
      keyword: 'Comment',
      text: decodeText(payload),
    })),
    warnings: extended.warnings,
  };
}

/** The colour profile, which may be spread over several segments (ICC.1:2022, B.4); null if there is none. */
export function jpegIccProfile(segments: readonly MarkerSegment[]): Uint8Array | null {
  const headerBytes = identifiers.icc.length + 2;
  const parts = segments
    .filter(isIccSegment)
    .toSorted((a, b) => (a.payload[headerBytes - 2] ?? 0) - (b.payload[headerBytes - 2] ?? 0))
    .map(({ payload }) => payload.subarray(headerBytes));
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/** As in libjpeg's `default_decompress_parms`. @param ids - component identifiers of the frame. */
export function jpegColourSpace(
  segments: readonly MarkerSegment[],
  ids: readonly number[],
): string {
  const adobe = segments.find((segment) => isSegment(segment, markers.app14, identifiers.adobe));
  const transform = adobe?.payload[11];
  if (ids.length === 1) return 'grey';
  if (ids.length === 4) return transform === 2 ? 'YCCK' : 'CMYK';
  if (segments.some((segment) => isSegment(segment, markers.app0, identifiers.jfif)))
    return 'YCbCr';
  const isNamedRgb = String.fromCharCode(...ids) === 'RGB';
  return transform === 0 || (transform === undefined && isNamedRgb) ? 'RGB' : 'YCbCr';
}

/** Whether there is a C2PA manifest store: a JUMBF box (ISO/IEC 19566-5) labelled `c2pa`. */
export function hasJpegCredentials(segments: readonly MarkerSegment[]): boolean {
  return segments.some(({ marker, payload }) => {
    if (marker !== markers.app11) return false;
    // Identifier, instance and sequence number; length and type of the box; then the description box, with its label.
    const head = ascii(payload, 0, 64);
    return head.startsWith('JP') && head.includes('jumb') && head.includes('c2pa');
  });
}

/** The Multi-Picture index (a TIFF structure), and the position from which its offsets count; null if there is none. */
export function jpegPictureIndex(segments: readonly MarkerSegment[]) {
  const segment = segments.find((one) => isSegment(one, markers.app2, identifiers.mpf));
  if (segment === undefined) return null;
  const tiff = segment.payload.subarray(identifiers.mpf.length);
  return { tiff, base: segment.end - tiff.length };
}

/** Whether the decoder needs this segment, for example to interpret the samples. */
function isNeededForPixels(segment: MarkerSegment): boolean {
  const { marker } = segment;
  const isApplication = marker >= markers.app0 && marker <= markers.app15;
  if (!isApplication) return marker !== markers.com;
  return (
    isSegment(segment, markers.app0, identifiers.jfif) ||
    isSegment(segment, markers.app14, identifiers.adobe)
  );
}

function isIccSegment(segment: MarkerSegment): boolean {
  return isSegment(segment, markers.app2, identifiers.icc);
}

function isSegment({ marker, payload }: MarkerSegment, wanted: number, identifier: string) {
  return marker === wanted && ascii(payload, 0, identifier.length) === identifier;
}

const headerBytes = 40;

/**
 * Joins extended XMP, which does not fit into one segment. The parts of a packet may be in any
 * order. A packet with missing parts or a wrong checksum is still read, but causes a warning.
 *
 * @param parts - segments, without their identifiers.
 * @param packets - the standard packets, which refer to the extended one.
 * @see Adobe XMP specification part 3, 1.1.3.1.
 */
function joinExtendedXmp(parts: readonly Uint8Array[], packets: readonly Uint8Array[]) {
  const named = packets.map((packet) => Buffer.from(packet).toString('latin1').toUpperCase());
  const packetsById = Map.groupBy(parts.flatMap(readPart), ({ id, length }) => `${id} ${length}`);
  const warnings = new Map<string, Warning>();
  const warn = (code: 'extended_xmp_incomplete' | 'extended_xmp_differs') =>
    warnings.set(code, { code, values: {} });
  const joined = [...packetsById.values()].map((whole) => {
    const { id, length } = whole[0]!;
    const bytes = joinParts(whole);
    const isSame = hash('md5', bytes).toUpperCase() === id;
    if (bytes.length !== length) warn('extended_xmp_incomplete');
    else if (!isSame || !named.some((packet) => packet.includes(id))) warn('extended_xmp_differs');
    return bytes;
  });
  if (packetsById.size === 0 && parts.length > 0) warn('extended_xmp_incomplete');
  return { packets: joined, warnings: [...warnings.values()] };
}

/** `id`: MD5 of the whole packet, as 32 hexadecimal digits; `length`: of the whole packet, in bytes. */
function readPart(segment: Uint8Array) {
  if (segment.length <= headerBytes) return [];
  const view = dataView(segment);
  const [length, offset] = [view.getUint32(32), view.getUint32(36)];
  const id = ascii(segment, 0, 32).toUpperCase();
  return [{ id, length, offset, bytes: segment.subarray(headerBytes) }];
}

/** Sorts the parts by offset and uses each byte once; gaps are left out. */
function joinParts(parts: ReturnType<typeof readPart>): Uint8Array {
  let end = 0;
  const pieces = parts
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, bytes }) => {
      const piece = bytes.subarray(Math.max(0, end - offset));
      end = Math.max(end, offset + bytes.length);
      return piece;
    });
  return Buffer.concat(pieces);
}

// Builds the JPEG for the decoder: only what the pixels need, with standard headers.

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
    if (isSegment(segment, markers.app0, identifiers.jfif)) return withKnownVersion(header, notes);
    if (isSegment(segment, markers.app14, identifiers.adobe))
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
function withKnownTransform(header: Uint8Array, notes: Set<PictureNote>, isCmyk: boolean) {
  const at = 15;
  if (header.length <= at || header[at]! <= 2) return header;
  notes.add('adobe_transform');
  return Uint8Array.from(header).fill(isCmyk ? 2 : 1, at, at + 1);
}
