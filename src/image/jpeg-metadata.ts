/** Opens a JPEG file: extracts the metadata from its application segments, and what the decoder needs. */

import { hash } from 'node:crypto';
import { failure } from '../contract/errors.ts';
import { ascii, dataView, decodeText } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { nameIccProfile } from './icc.ts';
import {
  holdsEveryScan,
  type JpegFile,
  markers,
  type MarkerSegment,
  readJpeg,
} from './jpeg-structure.ts';
import type { Warning } from '../contract/provenance.ts';
import { type MetadataBlocks, toComment } from './metadata-blocks.ts';
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

/** @throws {ForensicsError} as `readJpeg`. */
export function openJpeg(bytes: Uint8Array): FileFacts {
  const file = readJpeg(bytes);
  const { segments, structure, endOffset, width, height } = file;
  // If the last scans are missing, every row is coarser than it was stored, but no decoder reports this.
  if (!file.hasEnd && !holdsEveryScan(file)) throw failure('cut_off', { format: 'JPEG' });
  const ids = structure.components.map(({ id }) => id);
  const index = segments.find((one) => isSegment(one, markers.app2, identifiers.mpf));
  const tiff = index?.payload.subarray(identifiers.mpf.length);
  const profile = joinIccProfile(segments);
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample: structure.precision,
    channels: ids.length,
    colourSpace: nameColourSpace(segments, ids),
    hasAlpha: false,
    iccProfile: profile && nameIccProfile(profile),
    jpeg: structure,
    ...readBlocks(segments),
    endOffset,
    hasCredentials: segments.some(isCredentials),
    // The index is a TIFF structure, whose offsets count from its own position.
    pictureIndex: index && tiff ? { tiff, base: index.end - tiff.length } : null,
    ...takePixelBytes(bytes, file),
  };
}

function payloads(
  segments: readonly MarkerSegment[],
  marker: number,
  identifier: string,
  length = identifier.length,
) {
  return segments
    .filter((segment) => isSegment(segment, marker, identifier))
    .map(({ payload }) => payload.subarray(length));
}

function readBlocks(segments: readonly MarkerSegment[]): MetadataBlocks {
  const comments = segments.filter(({ marker }) => marker === markers.com);
  const xmp = payloads(segments, markers.app1, identifiers.xmp);
  const parts = payloads(segments, markers.app1, identifiers.extendedXmp);
  const extended = joinExtendedXmp(parts, xmp);
  const photoshop = payloads(segments, markers.app13, identifiers.photoshop);
  return {
    // `Exif` and a NUL are followed by one byte of padding.
    exif: payloads(segments, markers.app1, identifiers.exif, 6),
    xmp: [...xmp, ...extended.packets],
    // A resource that is too long for one segment continues in the next.
    photoshop: photoshop.length === 0 ? [] : [Buffer.concat(photoshop)],
    texts: comments.map(({ payload }) => toComment(decodeText(payload))),
    warnings: extended.warnings,
  };
}

/** The colour profile, which may be spread over several segments (ICC.1:2022, B.4), each with its number and count. */
function joinIccProfile(segments: readonly MarkerSegment[]): Uint8Array | null {
  const parts = payloads(segments, markers.app2, identifiers.icc)
    .toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
    .map((part) => part.subarray(2));
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/** As in libjpeg's `default_decompress_parms`. @param ids - component identifiers of the frame. */
function nameColourSpace(segments: readonly MarkerSegment[], ids: readonly number[]): string {
  const transform = payloads(segments, markers.app14, identifiers.adobe, 0)[0]?.[11];
  if (ids.length === 1) return 'grey';
  if (ids.length === 4) return transform === 2 ? 'YCCK' : 'CMYK';
  if (payloads(segments, markers.app0, identifiers.jfif).length > 0) return 'YCbCr';
  const isNamedRgb = String.fromCharCode(...ids) === 'RGB';
  return transform === 0 || (transform === undefined && isNamedRgb) ? 'RGB' : 'YCbCr';
}

/** Whether this is part of a C2PA manifest store: a JUMBF box (ISO/IEC 19566-5) labelled `c2pa`. */
function isCredentials({ marker, payload }: MarkerSegment): boolean {
  // Identifier, instance and sequence number; length and type of the box; then the description box, with its label.
  const head = ascii(payload, 0, 64);
  const isBox = head.startsWith('JP') && head.includes('jumb') && head.includes('c2pa');
  return marker === markers.app11 && isBox;
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

/**
 * The JPEG for the decoder: only what the pixels need, with standard headers. Irregularities about which libjpeg merely
 * warns are corrected and noted, so that any remaining warning means damage. The colour profile is kept only for CMYK,
 * which has no RGB values without one.
 */
function takePixelBytes(bytes: Uint8Array, { segments, structure, endOffset, hasEnd }: JpegFile) {
  const isCmyk = structure.components.length === 4;
  const notes = new Set<PictureNote>();
  const replace = (header: Uint8Array, at: number, usual: number[], note: PictureNote) => {
    notes.add(note);
    const replaced = Uint8Array.from(header);
    replaced.set(usual, at);
    return replaced;
  };
  const parts = segments.flatMap((segment, index) => {
    const { marker } = segment;
    const header = bytes.subarray(segment.offset, segment.end);
    if (marker === markers.sos) {
      // The entropy-coded data up to the next segment.
      const data = bytes.subarray(segment.end, segments[index + 1]?.offset ?? endOffset);
      const at = header.length - 3;
      const [start, end, bits] = header.subarray(at);
      // T.81 B.2.3: the last three bytes of a sequential scan are 0, 63, 0. Samsung's firmware writes 0, 0, 0.
      const isUsual = structure.progressive || (start === 0 && end === 63 && bits === 0);
      return [isUsual ? header : replace(header, at, [0, 63, 0], 'scan_parameters'), data];
    }
    if (isSegment(segment, markers.app0, identifiers.jfif)) {
      // JFIF only has version 1; a different number does not affect the pixels.
      return (header[9] ?? 1) === 1 ? header : replace(header, 9, [1], 'jfif_version');
    }
    if (isSegment(segment, markers.app14, identifiers.adobe)) {
      // libjpeg treats an unknown transform as the usual one.
      const usual = [isCmyk ? 2 : 1];
      return (header[15] ?? 0) <= 2 ? header : replace(header, 15, usual, 'adobe_transform');
    }
    const isApplication = marker >= markers.app0 && marker <= markers.app15;
    const isProfile = isCmyk && isSegment(segment, markers.app2, identifiers.icc);
    return (isApplication && !isProfile) || marker === markers.com ? [] : header;
  });
  if (!hasEnd) {
    notes.add('end_marker_missing');
    parts.push(endOfImage);
  }
  return { pixelBytes: Buffer.concat(parts), notes: [...notes] };
}

export const endOfImage = Uint8Array.of(0xff, markers.eoi);
