/** Finds the marker segments of a JPEG file (ITU-T T.81, Annex B). It knows where they are, not what they mean. */

import { failure } from '../contract/failure-reasons.ts';
import type { ForensicsError } from '../errors.ts';

export const markers = {
  sof0: 0xc0,
  dht: 0xc4,
  jpg: 0xc8,
  sof10: 0xca,
  dac: 0xcc,
  sof15: 0xcf,
  rst0: 0xd0,
  rst7: 0xd7,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dri: 0xdd,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app11: 0xeb,
  app13: 0xed,
  app14: 0xee,
  app15: 0xef,
  com: 0xfe,
} as const;

/** True for SOF0 to SOF15, but not for DHT, JPG and DAC, whose codes lie in the same range. */
export function isFrame(marker: number): boolean {
  const isOther = marker === markers.dht || marker === markers.jpg || marker === markers.dac;
  return marker >= markers.sof0 && marker <= markers.sof15 && !isOther;
}

export interface MarkerSegment {
  /** Second byte of the marker. */
  readonly marker: number;
  /** Offset of the marker's 0xff byte. */
  readonly offset: number;
  /** Offset of the end of the segment; for SOS, of the end of its header, where the entropy-coded data starts. */
  readonly end: number;
  /** The bytes after the length field; empty for SOI and EOI. */
  readonly payload: Uint8Array;
}

/** Protects against malicious files: a 50 MB file needs fewer segments than this if they are full. */
const maxSegments = 1000;

/**
 * All segments from SOI to the first EOI. Restart markers count as entropy-coded data; stray bytes between segments are
 * skipped, as libjpeg does. The file may end anywhere after the header of a scan.
 *
 * @returns `endOffset`: offset of the end of EOI or, without one, of the end of the data, because what follows is not
 *   part of the picture; `hasEnd`: false if EOI is missing, which viewers ignore.
 * @throws {ForensicsError} `image_unreadable` if the file ends before a scan or a length field is invalid.
 */
export function walkMarkers(bytes: Uint8Array) {
  if (bytes[0] !== 0xff || bytes[1] !== markers.soi) throw damaged('does not start as one');
  const segments = [segmentAt(bytes, 0, 2)];
  let hasScan = false;
  let position = 2;
  while (segments.length < maxSegments) {
    const offset = nextMarker(bytes, position, hasScan);
    const segment = offset === null ? null : readSegment(bytes, offset);
    if (segment === null) {
      if (!hasScan) throw failure('cut_off', { format: 'JPEG' });
      return { segments, endOffset: endOfData(bytes, position, offset), hasEnd: false };
    }
    segments.push(segment);
    if (segment.marker === markers.eoi) {
      return { segments, endOffset: segment.end, hasEnd: true };
    }
    hasScan ||= segment.marker === markers.sos;
    position = segment.end;
  }
  throw damaged(`has more than ${maxSegments} segments`);
}

/**
 * Offset of the next 0xff byte that starts a marker; null at the end. In intact entropy-coded data,
 * 0xff occurs only before 0x00 (stuffing) or RST0..7; in damaged data, also before codes that are
 * not markers. The same search skips stray bytes between segments.
 */
function nextMarker(bytes: Uint8Array, start: number, isInScan: boolean): number | null {
  let position = start;
  for (;;) {
    position = bytes.indexOf(0xff, position);
    if (position < 0 || position + 1 >= bytes.length) return null;
    const marker = bytes[position + 1]!;
    const isRestart = marker >= markers.rst0 && marker <= markers.rst7;
    const isTemporary = marker === 0x01 || (isInScan && marker < markers.sof0);
    if (marker === 0xff) position += 1;
    else if (marker === 0x00 || isRestart || isTemporary) position += 2;
    else return position;
  }
}

/** Null if the file ends inside the segment, or if another picture starts here. */
function readSegment(bytes: Uint8Array, offset: number): MarkerSegment | null {
  const marker = bytes[offset + 1]!;
  if (marker === markers.eoi) return segmentAt(bytes, offset, offset + 2);
  if (marker === markers.soi) return null;
  if (marker < markers.sof0) throw damaged('contains a marker that no standard defines');
  if (offset + 4 > bytes.length) return null;
  const length = (bytes[offset + 2]! << 8) | bytes[offset + 3]!;
  if (length < 2) throw damaged('has a segment of impossible length');
  const end = offset + 2 + length;
  return end > bytes.length ? null : segmentAt(bytes, offset, end);
}

/** Leaves out the zero padding of recovered files, but keeps a zero that belongs to a final 0xff. */
function endOfData(bytes: Uint8Array, start: number, limit: number | null): number {
  let end = limit ?? bytes.length;
  while (end > start && bytes[end - 1] === 0) end--;
  return bytes[end - 1] === 0xff ? Math.min(end + 1, bytes.length) : end;
}

function segmentAt(bytes: Uint8Array, offset: number, end: number): MarkerSegment {
  const payload = bytes.subarray(Math.min(offset + 4, end), end);
  return { marker: bytes[offset + 1]!, offset, end, payload };
}

/** `what` completes "The JPEG file ...". */
export function damaged(what: string): ForensicsError {
  return failure('damaged', { format: 'JPEG', what });
}
