/** Finds data after the end of the picture, and counts the pictures in the file. */

import { ascii, dataView } from '../image/bytes.ts';
import { type FileClues, readFileClues } from '../image/container.ts';
import { chrominanceTable, luminanceTable, scaleTable } from '../image/jpeg-quality.ts';
import type { JpegStructure } from '../image/jpeg-structure.ts';
import { readDirectories } from '../image/tiff.ts';
import type { FileLayout, QuantisationClass } from './provenance.ts';

export function readLayout(
  bytes: Uint8Array,
  { endOffset, pictureIndex }: Pick<FileClues, 'endOffset' | 'pictureIndex'>,
): FileLayout {
  const trailing = bytes.subarray(endOffset);
  return {
    trailingBytes: trailing.length,
    trailingKind: detectKind(trailing),
    pictures: 1 + Math.max(countListed(bytes, pictureIndex), countTrailing(trailing)),
  };
}

/** Format, offset of the signature, and the signature as Latin-1. */
const signatures: readonly (readonly [string, number, string])[] = [
  ['zip', 0, 'PK\x03\x04'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['mp4', 4, 'ftyp'],
  ['pdf', 0, '%PDF-'],
  ['rar', 0, 'Rar!\x1a\x07'],
  ['7z', 0, '7z\xbc\xaf\x27\x1c'],
  ['gzip', 0, '\x1f\x8b\x08'],
  ['executable', 0, 'MZ'],
  ['executable', 0, '\x7fELF'],
];

function detectKind(trailing: Uint8Array): string | null {
  if (trailing.length === 0) return null;
  const known = signatures.find(([, at, text]) => ascii(trailing, at, text.length) === text);
  if (known !== undefined) return known[0];
  // At the end of their files, Samsung phones write a directory of the data that they appended.
  if (String.fromCharCode(...trailing.subarray(-4)) === 'SEFT') return 'samsung-trailer';
  if (trailing.every((byte) => byte === 0)) return 'zeros';
  const isPlainText = trailing
    .subarray(0, 512)
    .every((byte) => (byte >= 32 && byte < 127) || [9, 10, 13].includes(byte));
  return isPlainText ? 'text' : null;
}

const entriesTag = 0xb002;
const entryBytes = 16;
const maxPictures = 100;

/** Counts the additional pictures that the index lists and that really are at their offsets (CIPA DC-007, 5.2.3). */
function countListed(bytes: Uint8Array, index: FileClues['pictureIndex']): number {
  const entries = index && readDirectories(index.tiff).primary.get(entriesTag);
  if (!index || !entries) return 0;
  const view = dataView(entries.bytes);
  let found = 0;
  // The first entry is the main picture itself.
  for (let entry = 1; entry < maxPictures && (entry + 1) * entryBytes <= view.byteLength; entry++) {
    const offset = view.getUint32(entry * entryBytes + 8, entries.isLittleEndian);
    const start = index.base + offset;
    if (offset > 0 && bytes[start] === 0xff && bytes[start + 1] === 0xd8) found++;
  }
  return found;
}

/** Counts complete JPEG files that follow one another. */
function countTrailing(trailing: Uint8Array): number {
  let rest = trailing;
  for (let found = 0; ; found++) {
    if (found === maxPictures || detectKind(rest) !== 'jpeg') return found;
    try {
      rest = rest.subarray(readFileClues(rest, 'jpg').endOffset);
    } catch {
      // This starts like a picture but is not one, so the count ends here.
      return found;
    }
  }
}

/**
 * The table that mozjpeg scales by default, both for luma and for chroma, in zig-zag order. From N.
 * Robidoux's work for ImageMagick; extracted from files that mozjpeg wrote.
 */
const mozjpegBase: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43,
  40, 43, 40, 56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106,
  135, 156, 131, 124, 131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/**
 * @returns `custom` even if the luma and chroma tables are both libjpeg's, provided their settings differ.
 * @see J. D. Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital
 *   Investigation 5 (2008), for the classes.
 */
export function classifyTables(jpeg: JpegStructure): QuantisationClass {
  const stepsOf = (table: number) =>
    jpeg.quantisationTables.find(({ id }) => id === table)?.steps ?? [];
  const [luma = [], ...colours] = jpeg.components.map((one) => stepsOf(one.quantisationTable));
  const hasTables = (lumaTable: readonly number[], colourTable: readonly number[]) =>
    isSame(luma, lumaTable) && colours.every((colour) => isSame(colour, colourTable));
  for (let quality = 100; quality >= 1; quality--) {
    if (hasTables(luminanceTable(quality), chrominanceTable(quality))) {
      return { kind: 'libjpeg', name: null, quality };
    }
  }
  // The standard tables are checked first, because both match if all steps are 1 or 255.
  for (let quality = 100; quality >= 1; quality--) {
    const table = scaleTable(mozjpegBase, quality);
    if (hasTables(table, table)) return { kind: 'known-software', name: 'mozjpeg', quality: null };
  }
  return { kind: 'custom', name: null, quality: null };
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
