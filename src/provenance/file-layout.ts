/** What a file holds behind its picture, and how many pictures it holds. */

import { readFileClues, type FileClues } from '../image/container.ts';
import { readDirectories } from '../image/tiff.ts';
import type { FileLayout } from './provenance.ts';

export function readLayout(
  bytes: Uint8Array,
  { endOffset, pictureIndex }: Pick<FileClues, 'endOffset' | 'pictureIndex'>,
): FileLayout {
  const trailing = bytes.subarray(endOffset);
  return {
    trailingBytes: trailing.length,
    trailingKind: kindOf(trailing),
    pictures: 1 + Math.max(countListed(bytes, pictureIndex), countTrailing(trailing)),
  };
}

/** Kind, offset, and the bytes there as Latin-1. */
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

function kindOf(trailing: Uint8Array): string | null {
  if (trailing.length === 0) return null;
  const at = (offset: number, length: number) =>
    String.fromCharCode(...trailing.subarray(offset, offset + length));
  const known = signatures.find(([, offset, text]) => at(offset, text.length) === text);
  if (known !== undefined) return known[0];
  // Phones of one maker end their files with a directory of what they added.
  if (String.fromCharCode(...trailing.subarray(-4)) === 'SEFT') return 'samsung-trailer';
  if (isZero(trailing)) return 'zeros';
  return isPlainText(trailing.subarray(0, 512)) ? 'text' : null;
}

/** Many megabytes may follow a picture: a call for each byte would take seconds. */
function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

function isPlainText(head: Uint8Array): boolean {
  return head.every((byte) => (byte >= 32 && byte < 127) || [9, 10, 13].includes(byte));
}

const entriesTag = 0xb002;
const entryBytes = 16;
const mostPictures = 100;

/** Further pictures of the index that are where it says (CIPA DC-007, 5.2.3). */
function countListed(bytes: Uint8Array, index: FileClues['pictureIndex']): number {
  const entries = index && readDirectories(index.tiff).primary.get(entriesTag);
  if (!index || !entries) return 0;
  const view = new DataView(entries.bytes.buffer, entries.bytes.byteOffset, entries.bytes.length);
  let found = 0;
  // The first entry is the picture itself.
  for (
    let entry = 1;
    entry < mostPictures && (entry + 1) * entryBytes <= view.byteLength;
    entry++
  ) {
    const offset = view.getUint32(entry * entryBytes + 8, entries.isLittleEndian);
    const start = index.base + offset;
    if (offset > 0 && bytes[start] === 0xff && bytes[start + 1] === 0xd8) found++;
  }
  return found;
}

/** Whole JPEG files one behind the other. */
function countTrailing(trailing: Uint8Array): number {
  let rest = trailing;
  for (let found = 0; ; found++) {
    if (found === mostPictures || kindOf(rest) !== 'jpeg') return found;
    try {
      rest = rest.subarray(readFileClues(rest, 'jpg').endOffset);
    } catch {
      // Begins like a picture and is none: counted no further.
      return found;
    }
  }
}
