/** Reads the marker segments of a JPEG file without decoding a pixel (ITU-T T.81, Annex B). */

import { failure, type ForensicsError } from '../contract/errors.ts';
import { ascii } from './bytes.ts';
import { isFrame, maxSegments } from './file-kind.ts';

export type JpegStructure = JpegFile['structure'];

export type JpegFile = ReturnType<typeof readJpeg>;

/** Protects against malicious files: each scan costs a pass over the whole picture, and encoders write about ten. */
const maxScans = 100;

/**
 * Reads a JPEG file's structure, its size in pixels and the offsets of its segments; the end is as in `walkMarkers`.
 *
 * @throws {ForensicsError} `image_unreadable` if truncated or damaged, `image_not_supported` for processes beyond
 *   Huffman-coded and arithmetic-coded DCT.
 */
export function readJpeg(bytes: Uint8Array) {
  const { segments, endOffset, hasEnd } = walkMarkers(bytes);
  const frame = readFrame(segments);
  const firstScan = segments.findIndex(({ marker }) => marker === markers.sos);
  if (firstScan < 0) throw damaged('contains no picture data');
  const scans = segments.filter(({ marker }) => marker === markers.sos).length;
  if (scans > maxScans) throw damaged(`has more than ${maxScans} scans`);
  const quantisationTables = readQuantisationTables(segments.slice(0, firstScan));
  const { width, height, ...facts } = frame;
  const restart = segments.findLast(({ marker }) => marker === markers.dri)?.payload;
  const luma = lumaSteps({ quantisationTables, components: frame.components });
  const structure = {
    ...facts,
    /** `4:4:4`, `4:2:2`, `4:2:0`, `4:4:0`, `4:1:1`, `4:1:0`, `grey`, or the factors written out (`2x2,1x2,1x1`). */
    chromaSubsampling: nameSubsampling(frame.components),
    /** The tables in effect at the start of the first scan, by identifier. */
    quantisationTables,
    /** The libjpeg setting nearest to the luminance table; null if there is no such table, or a step is above 255. */
    quality: luma === null || luma.some((step) => step > 255) ? null : nearestQuality(luma),
    segments: segments.map(({ marker, offset, end, payload }) => ({
      marker,
      offset,
      /** Including marker and length field; for SOS, not including the entropy-coded data. */
      sizeBytes: end - offset,
      /** Such as `SOI`, `APP1 Exif`, `DQT`. */
      label: labelSegment(marker, payload),
    })),
    scans,
    /** MCUs between restart markers; 0 if the file has none. */
    restartInterval: restart === undefined ? 0 : ((restart[0] ?? 0) << 8) | (restart[1] ?? 0),
    /** After the end-of-image marker. */
    trailingBytes: bytes.length - endOffset,
  };
  return { structure, width, height, segments, endOffset, hasEnd };
}

/** T.81 B.2.2: SOFn = precision, height, width, number of components, three bytes for each. */
function readFrame(segments: readonly MarkerSegment[]) {
  const frames = segments.filter(({ marker }) => isFrame(marker));
  const [frame] = frames;
  if (frame === undefined) throw damaged('contains no frame header');
  if (frames.length > 1) throw damaged('contains more than one frame header');
  const process = frame.marker - markers.sof0;
  const { payload } = frame;
  const count = payload[5] ?? 0;
  if (count < 1 || payload.length !== 6 + 3 * count) throw damaged('has a broken frame header');
  const precision = payload[0]!;
  // There is no decoder for lossless, hierarchical or 12-bit files.
  if (![0, 1, 2, 9, 10].includes(process) || precision !== 8) throw failure('rare_jpeg', {});
  return {
    progressive: process === 2 || process === 10,
    arithmetic: process >= 9,
    precision,
    height: (payload[1]! << 8) | payload[2]!,
    width: (payload[3]! << 8) | payload[4]!,
    components: Array.from({ length: count }, (_, i) => readComponent(payload, 6 + 3 * i)),
  };
}

type JpegComponent = ReturnType<typeof readComponent>;

/** Its identifier, sampling factors `h` and `v`, 1..4, and the identifier of its quantisation table, 0..3. */
function readComponent(payload: Uint8Array, at: number) {
  const factors = payload[at + 1]!;
  const h = factors >> 4;
  const v = factors & 15;
  const quantisationTable = payload[at + 2]!;
  const isValid = h >= 1 && h <= 4 && v >= 1 && v <= 4 && quantisationTable <= 3;
  if (!isValid) throw damaged('has a broken frame header');
  return { id: payload[at]!, h, v, quantisationTable };
}

/** T.81 B.2.4.1: a segment has one or more tables; a later one replaces an earlier one with the same identifier. */
function readQuantisationTables(segments: readonly MarkerSegment[]): QuantisationTable[] {
  const tables = new Map<number, QuantisationTable>();
  for (const { marker, payload } of segments) {
    if (marker !== markers.dqt) continue;
    for (let at = 0; at < payload.length; ) {
      const table = readTable(payload, at);
      tables.set(table.id, table);
      at += 1 + 8 * table.precision;
    }
  }
  return [...tables.values()].toSorted((a, b) => a.id - b.id);
}

type QuantisationTable = ReturnType<typeof readTable>;

/** With its 64 steps in zig-zag order, as the file stores them. */
function readTable(payload: Uint8Array, at: number) {
  const id = payload[at]! & 15;
  const precision: 8 | 16 = payload[at]! >> 4 === 0 ? 8 : 16;
  const isValid = payload[at]! >> 4 <= 1 && id <= 3 && at + 1 + 8 * precision <= payload.length;
  if (!isValid) throw damaged('has a broken quantisation table');
  const steps = Array.from({ length: 64 }, (_, i) =>
    precision === 8
      ? payload[at + 1 + i]!
      : (payload[at + 1 + 2 * i]! << 8) | payload[at + 2 + 2 * i]!,
  );
  if (steps.includes(0)) throw damaged('has a quantisation step of 0');
  return { id, precision, steps };
}

/** The 64 luma steps in zig-zag order; null if the file refers to a table that it does not have. */
export function lumaSteps({
  quantisationTables,
  components,
}: {
  readonly quantisationTables: readonly QuantisationTable[];
  readonly components: readonly JpegComponent[];
}): readonly number[] | null {
  const table = quantisationTables.find(({ id }) => id === components[0]?.quantisationTable);
  return table?.steps ?? null;
}

function nameSubsampling(components: readonly JpegComponent[]): string {
  const [first, second, third, fourth] = components;
  if (first === undefined || second === undefined || third === undefined) return 'grey';
  const isUsual =
    second.h === third.h &&
    second.v === third.v &&
    (fourth === undefined || (fourth.h === first.h && fourth.v === first.v));
  const name = subsamplingNames[`${first.h / second.h}x${first.v / second.v}`];
  return isUsual && name !== undefined ? name : components.map(({ h, v }) => `${h}x${v}`).join(',');
}

/** Names, by the number of luma samples for each chroma sample, horizontally and vertically. */
const subsamplingNames: Readonly<Record<string, string>> = {
  '1x1': '4:4:4',
  '2x1': '4:2:2',
  '2x2': '4:2:0',
  '1x2': '4:4:0',
  '4x1': '4:1:1',
  '4x2': '4:1:0',
};

/** Whether the scans contain every coefficient at full precision. @see ITU-T T.81, B.2.3 and G.1.1.1. */
export function holdsEveryScan({ segments, structure }: Pick<JpegFile, 'segments' | 'structure'>) {
  const scans = segments.filter(({ marker }) => marker === markers.sos);
  const missing = new Map(
    structure.components.map(({ id }) => [id, new Set(Array.from({ length: 64 }, (_, k) => k))]),
  );
  for (const { payload } of scans) {
    const count = payload[0] ?? 0;
    const [start = 0, end = 63, bits = 0] = payload.subarray(1 + 2 * count);
    // The lower half is the number of bits of each coefficient that are yet to come.
    if (structure.progressive && (bits & 15) !== 0) continue;
    const [from, to] = structure.progressive ? [start, end] : [0, 63];
    for (let i = 0; i < count; i++) {
      const left = missing.get(payload[1 + 2 * i]!);
      for (let k = from; k <= to; k++) left?.delete(k);
    }
  }
  return [...missing.values()].every(({ size }) => size === 0);
}

function labelSegment(marker: number, payload: Uint8Array): string {
  if (marker >= markers.app0 && marker <= markers.app15) {
    return `APP${marker - markers.app0} ${applicationName(payload)}`.trimEnd();
  }
  if (isFrame(marker)) return `SOF${marker - markers.sof0}`;
  const name = Object.entries(markers).find(([, code]) => code === marker)?.[0];
  return name?.toUpperCase() ?? `0xff${marker.toString(16)}`;
}

/** The identifier at the start of an APPn segment, up to its NUL, in printable ASCII. */
function applicationName(payload: Uint8Array): string {
  const text = /^[\x20-\x7e]*/.exec(ascii(payload, 0, 40))?.[0] ?? '';
  if (text.startsWith('http://ns.adobe.com/xap/')) return 'XMP';
  if (text.startsWith('http://ns.adobe.com/xmp/ext')) return 'Extended XMP';
  return text;
}

// Finds the segments. What follows knows where they are, not what they mean.

export const markers = {
  sof0: 0xc0,
  dht: 0xc4,
  sof10: 0xca,
  dac: 0xcc,
  sof15: 0xcf,
  rst0: 0xd0,
  rst7: 0xd7,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dnl: 0xdc,
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

export type MarkerSegment = ReturnType<typeof segmentAt>;

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

/**
 * @returns `marker`, the second byte of the marker; `offset` of its 0xff byte; `end` of the segment or, for SOS, of its
 *   header, where the entropy-coded data starts; `payload`, the bytes after the length field; empty for SOI and EOI.
 */
function segmentAt(bytes: Uint8Array, offset: number, end: number) {
  const payload = bytes.subarray(Math.min(offset + 4, end), end);
  return { marker: bytes[offset + 1]!, offset, end, payload };
}

/** `what` completes "The JPEG file ...". */
function damaged(what: string): ForensicsError {
  return failure('damaged', { format: 'JPEG', what });
}

// Quantisation tables, and the libjpeg quality setting that one indicates.

/**
 * The libjpeg quality setting whose luminance table comes closest to `steps`.
 *
 * @param steps - 64 quantisation steps in zig-zag order, as a DQT segment stores them; each 1..255.
 * @returns `value` 1..100 (the higher of two equally close settings) and `distance`: mean absolute difference in steps,
 *   0 when exact.
 * @see ITU-T T.81 (1992), Annex K, Table K.1, for the base table; libjpeg's jcparam.c for its scaling.
 */
function nearestQuality(steps: readonly number[]): { value: number; distance: number } {
  let [value, distance] = [100, Number.POSITIVE_INFINITY];
  for (let quality = 100; quality >= 1; quality--) {
    const table = luminanceTable(quality);
    const sum = steps.reduce((total, step, i) => total + Math.abs(step - table[i]!), 0);
    const difference = sum / steps.length;
    if (difference < distance) [value, distance] = [quality, difference];
  }
  return { value, distance };
}

/** libjpeg's luminance table for `quality` 1..100, baseline (steps clipped to 1..255), in zig-zag order. */
export function luminanceTable(quality: number): number[] {
  return scaleTable(baseLuminance, quality);
}

/** Like `luminanceTable`, for both chroma components. */
export function chrominanceTable(quality: number): number[] {
  return scaleTable(baseChrominance, quality);
}

/** Scales and clips `base`, the table for quality 50, in the way of libjpeg and compatible encoders. */
export function scaleTable(base: readonly number[], quality: number): number[] {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return base.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** Table K.1, in the zig-zag order shown in Figure A.6. */
const baseLuminance: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37,
  29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
  95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/** Table K.2, in the same order. */
const baseChrominance: readonly number[] = [
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66,
].concat(Array<number>(50).fill(99));

/** For each zig-zag position, the index in the block: eight times the row, plus the column. */
export const placesInBlock: readonly number[] = Array.from(
  { length: 64 },
  (_, place) => place,
).toSorted(
  (one, other) =>
    diagonalAt(one) - diagonalAt(other) || (diagonalAt(one) % 2 === 0 ? other - one : one - other),
);

/** Index of the diagonal, counted from 0 in the upper left corner; even ones run upwards, odd ones downwards. */
function diagonalAt(place: number): number {
  return (place >> 3) + (place & 7);
}

/** Reorders 64 values from zig-zag order to row-major. @see ITU-T T.81 (1992), Figure A.6. */
export function inRows(values: readonly number[]): number[] {
  const rows: number[] = Array.from({ length: placesInBlock.length });
  for (const [position, place] of placesInBlock.entries()) rows[place] = values[position]!;
  return rows;
}
