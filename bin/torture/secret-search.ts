/**
 * Whether a text is in a file, even if it is packed: gzip, ZIP archives, and the pages of PDFs,
 * whose texts are glyph numbers.
 */

import { gunzipSync, inflateRawSync } from 'node:zlib';
import { readPages } from '../../test/unit/render/pdf-text.ts';

export function holds(file: Buffer, text: string): boolean {
  const sought = withoutBreaks(text);
  for (const part of partsOf(file)) {
    if (part.includes(text) || withoutBreaks(part.toString('latin1')).includes(sought)) return true;
  }
  return false;
}

/** A page breaks its lines wherever they are full. */
function withoutBreaks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** The file itself, and everything packed in it at any depth, such as an archive of archives. */
function* partsOf(file: Buffer): Generator<Buffer> {
  yield file;
  if (file[0] === 0x1f && file[1] === 0x8b) yield* partsOf(gunzipSync(file));
  for (let at = file.indexOf(zipEntry); at >= 0; at = file.indexOf(zipEntry, at + 4)) {
    const entry = unpackedEntry(file.subarray(at));
    if (entry !== null) yield* partsOf(entry);
  }
  for (let at = file.indexOf('%PDF-'); at >= 0; at = file.indexOf('%PDF-', at + 5)) {
    const end = file.indexOf('%%EOF', at);
    if (end >= 0) yield pageTexts(file.subarray(at, end));
  }
}

const zipEntry = Buffer.from('PK\x03\x04');
const deflated = 8;

/** Null if it is not compressed, or not an entry. */
function unpackedEntry(from: Buffer): Buffer | null {
  if (from.length < 30 || from.readUInt16LE(8) !== deflated) return null;
  const begin = 30 + from.readUInt16LE(26) + from.readUInt16LE(28);
  try {
    return inflateRawSync(from.subarray(begin));
  } catch {
    return null;
  }
}

function pageTexts(pdf: Buffer): Buffer {
  return Buffer.from(
    readPages(pdf)
      .map(({ text }) => text)
      .join('\n'),
  );
}
