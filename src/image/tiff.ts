/**
 * Reads the directories of a TIFF structure, as used by EXIF. Written without a library for two reasons: intake reads
 * the orientation outside the child processes, where a malicious file must not crash anything, and exifreader takes
 * seconds for a malicious block. Every loop is bounded and anything outside the block is skipped, so it never throws.
 *
 * @see TIFF 6.0, section 2, for directories and field types; CIPA DC-008 4.6 for the EXIF directories.
 */

import { dataView, decodeText, untilNul } from './bytes.ts';

export interface Field {
  /** Offset of the entry in the block. */
  readonly offset: number;
  readonly type: number;
  readonly count: number;
  /** The values as stored. */
  readonly bytes: Uint8Array;
  readonly isLittleEndian: boolean;
}

type Directory = ReadonlyMap<number, Field>;

export interface Directories {
  readonly primary: Directory;
  readonly exif: Directory;
  readonly gps: Directory;
  readonly thumbnail: Directory;
}

const pointers = { exif: 0x8769, gps: 0x8825 } as const;
const entryBytes = 12;
/** Size of each type: from BYTE to DOUBLE, then IFD, and UTF-8 of Exif 3.0. */
const bytesOfType: Readonly<Record<number, number>> = Object.assign(
  {},
  [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4],
  { 129: 1 },
);
export const types = { byte: 1, ascii: 2, short: 3, long: 4, rational: 5, utf8: 129 } as const;

/** @param tiff - without the leading `Exif\0\0`. */
export function readDirectories(tiff: Uint8Array): Directories {
  const order = tiff.length < 8 ? 0 : dataView(tiff).getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return joinDirectories([]);
  const isLittleEndian = order === 0x4949;
  const read = (at: number | null) => readDirectory(tiff, at, isLittleEndian);
  const primary = read(dataView(tiff).getUint32(4, isLittleEndian));
  return {
    primary: primary.fields,
    exif: read(readWholeNumber(primary.fields.get(pointers.exif))).fields,
    gps: read(readWholeNumber(primary.fields.get(pointers.gps))).fields,
    thumbnail: read(primary.next).fields,
  };
}

/** Whether the only directory has no entries, which is what programs leave that strip metadata. */
export function isEmptyBlock(tiff: Uint8Array): boolean {
  if (tiff.length < 10) return false;
  const view = dataView(tiff);
  const isLittleEndian = tiff[0] === 0x49;
  const at = view.getUint32(4, isLittleEndian);
  const isPlaced = at >= 8 && at + 2 <= tiff.length;
  const hasNext = at + 6 <= tiff.length && view.getUint32(at + 2, isLittleEndian) !== 0;
  return isPlaced && view.getUint16(at, isLittleEndian) === 0 && !hasNext;
}

/** Merges several blocks; for each field, the first block that has it applies. */
export function joinDirectories(all: readonly Directories[]): Directories {
  const join = (name: keyof Directories) =>
    new Map(all.toReversed().flatMap((directories) => [...directories[name]]));
  return {
    primary: join('primary'),
    exif: join('exif'),
    gps: join('gps'),
    thumbnail: join('thumbnail'),
  };
}

/** The first value of an integer field; null if there is none. */
export function readWholeNumber(field: Field | undefined): number | null {
  return field === undefined
    ? null
    : (readWholeNumbers({ ...field, count: Math.min(field.count, 1) })[0] ?? null);
}

/** All values of an integer field. */
export function readWholeNumbers(field: Field | undefined): readonly number[] {
  if (field === undefined || (field.type !== types.short && field.type !== types.long)) return [];
  const view = dataView(field.bytes);
  return Array.from({ length: field.count }, (_, i) =>
    field.type === types.short
      ? view.getUint16(2 * i, field.isLittleEndian)
      : view.getUint32(4 * i, field.isLittleEndian),
  );
}

/** Rationals as numbers; NaN if the denominator is 0. */
export function readFractions(field: Field | undefined): readonly number[] {
  if (field === undefined || field.type !== types.rational) return [];
  const view = dataView(field.bytes);
  return Array.from({ length: Math.min(field.count, 8) }, (_, i) => {
    const below = view.getUint32(8 * i + 4, field.isLittleEndian);
    return below === 0 ? Number.NaN : view.getUint32(8 * i, field.isLittleEndian) / below;
  });
}

/** A text up to its NUL; null if there is none. */
export function readTextField(field: Field | undefined): string | null {
  if (field === undefined || (field.type !== types.ascii && field.type !== types.utf8)) return null;
  return untilNul(decodeText(field.bytes)).trim() || null;
}

/** The fields, and `next`, the offset of the next directory; null if there is none. */
function readDirectory(tiff: Uint8Array, at: number | null, isLittleEndian: boolean) {
  const fields = new Map<number, Field>();
  if (at === null || at < 8 || at + 2 > tiff.length) return { fields, next: null };
  const view = dataView(tiff);
  const first = at + 2;
  const stated = view.getUint16(at, isLittleEndian);
  const inBlock = Math.floor((tiff.length - first) / entryBytes);
  for (let i = 0; i < Math.min(stated, inBlock); i++) {
    const entry = first + i * entryBytes;
    const tag = view.getUint16(entry, isLittleEndian);
    const field = readField(tiff, entry, isLittleEndian);
    if (field !== null && !fields.has(tag)) fields.set(tag, field);
  }
  const entriesEnd = first + stated * entryBytes;
  const next = entriesEnd + 4 <= tiff.length ? view.getUint32(entriesEnd, isLittleEndian) : 0;
  return { fields, next: next === 0 ? null : next };
}

/** Reads an entry: tag, type, count, then the value if it fits into four bytes, or otherwise its offset. */
function readField(tiff: Uint8Array, entry: number, isLittleEndian: boolean): Field | null {
  const view = dataView(tiff);
  const type = view.getUint16(entry + 2, isLittleEndian);
  const count = view.getUint32(entry + 4, isLittleEndian);
  const sizeBytes = (bytesOfType[type] ?? 0) * count;
  if (sizeBytes === 0 || sizeBytes > tiff.length) return null;
  const start = sizeBytes <= 4 ? entry + 8 : view.getUint32(entry + 8, isLittleEndian);
  if (start + sizeBytes > tiff.length) return null;
  const bytes = tiff.subarray(start, start + sizeBytes);
  return { offset: entry, type, count, bytes, isLittleEndian };
}
