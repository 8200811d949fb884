/** Extracts the metadata from a PNG file's chunks; compressed text is inflated within limits. */

import { inflateSync } from 'node:zlib';
import { nameIccProfile } from './icc.ts';
import type { MetadataBlocks, Warning } from './metadata-blocks.ts';
import type { PngChunk, PngFile } from './png.ts';
import { decodeText } from './text.ts';

/**
 * Limit for one piece of inflated text, and half that for all together: Photoshop's largest packets take a megabyte.
 */
const maxInflatedBytes = 16_000_000;
const maxWarnings = 8;
const maxInflatedTotal = 2 * maxInflatedBytes;

interface TextEntry {
  readonly keyword: string;
  readonly bytes: Uint8Array;
}

export function pngMetadataBlocks({
  metadataChunks,
  isMetadataCut,
}: Pick<PngFile, 'metadataChunks' | 'isMetadataCut'>): MetadataBlocks {
  const warnings: Warning[] = isMetadataCut ? [{ code: 'png_chunks_cut', values: {} }] : [];
  const inflate = createInflate(warnings);
  const entries = metadataChunks.flatMap((chunk) => readText(chunk, inflate) ?? []);
  const raw = (...names: readonly string[]) => findRawProfiles(entries, names);
  const exif = metadataChunks.filter(({ type }) => type === 'eXIf').map(({ data }) => data);
  const app1 = raw('APP1');
  const xmp = entries.filter(({ keyword }) => keyword === 'XML:com.adobe.xmp');
  return {
    exif: [...exif, ...raw('exif'), ...app1.filter((block) => !isXmp(block))].map((block) =>
      withoutPrefix(block, 'Exif\0\0'),
    ),
    xmp: [...xmp.map(({ bytes }) => bytes), ...raw('xmp'), ...app1.filter(isXmp)].map((block) =>
      withoutPrefix(block, xmpIdentifier),
    ),
    photoshop: raw('iptc', '8bim', 'APP13').map((block) => withoutPrefix(block, 'Photoshop 3.0\0')),
    texts: entries.flatMap(({ keyword, bytes }) =>
      isBlockKeyword(keyword) ? [] : { place: 'png-text', keyword, text: decodeText(bytes) },
    ),
    warnings,
  };
}

/** The name in the colour profile, or else in the iCCP chunk; null if there is none. */
export function pngIccName({ metadataChunks }: PngFile): string | null {
  const data = metadataChunks.find(({ type }) => type === 'iCCP')?.data;
  const nameEnd = data?.indexOf(0) ?? -1;
  if (data === undefined || nameEnd < 1 || nameEnd > 79) return null;
  const profile = createInflate([])(data.subarray(nameEnd + 2), 'iCCP');
  return (profile && nameIccProfile(profile)) ?? latin1(data.subarray(0, nameEnd));
}

const xmpIdentifier = 'http://ns.adobe.com/xap/1.0/\0';

function isXmp(block: Uint8Array): boolean {
  return latin1(block.subarray(0, xmpIdentifier.length)) === xmpIdentifier;
}

type Inflate = (compressed: Uint8Array, keyword: string) => Uint8Array | null;

/**
 * A decompression bomb or a broken stream gives null and a warning; a file with many is stopped after the first few.
 */
function createInflate(warnings: Warning[]): Inflate {
  let budget = maxInflatedTotal;
  return (compressed, keyword) => {
    try {
      const maxOutputLength = Math.max(1, Math.min(budget, maxInflatedBytes));
      const inflated = inflateSync(compressed, { maxOutputLength });
      budget -= inflated.length;
      return inflated;
    } catch {
      // A broken stream may have cost as much as a bomb.
      budget -= maxInflatedBytes;
      if (warnings.length < maxWarnings)
        warnings.push({ code: 'png_text_not_inflated', values: { keyword } });
      return null;
    }
  };
}

/** PNG specification 11.3.3: keyword, NUL, then a layout that depends on the chunk type. */
function readText({ type, data }: PngChunk, inflate: Inflate): TextEntry | null {
  const keywordEnd = data.indexOf(0);
  if (keywordEnd < 1 || keywordEnd > 79) return null;
  const keyword = latin1(data.subarray(0, keywordEnd));
  const rest = data.subarray(keywordEnd + 1);
  if (type === 'tEXt') return { keyword, bytes: rest };
  if (type === 'zTXt') {
    const bytes = inflate(rest.subarray(1), keyword);
    return bytes && { keyword, bytes };
  }
  if (type !== 'iTXt') return null;
  // Compression flag and method, then language tag and translated keyword, each NUL-terminated.
  const languageEnd = rest.indexOf(0, 2);
  const textStart = languageEnd < 0 ? -1 : rest.indexOf(0, languageEnd + 1);
  if (textStart < 0) return null;
  const stored = rest.subarray(textStart + 1);
  const bytes = rest[0] === 1 ? inflate(stored, keyword) : stored;
  return bytes && { keyword, bytes };
}

/**
 * XMP and "Raw profile type ..." are containers that are parsed as such. They are not kept as text because they may
 * contain a position.
 */
function isBlockKeyword(keyword: string): boolean {
  return keyword === 'XML:com.adobe.xmp' || keyword.startsWith('Raw profile type ');
}

/** ImageMagick stores other metadata blocks in a text: a line with the name, one with the length, then hexadecimal. */
function findRawProfiles(
  entries: readonly TextEntry[],
  names: readonly string[],
): readonly Uint8Array[] {
  const keywords = names.map((name) => `raw profile type ${name.toLowerCase()}`);
  return entries.flatMap(({ keyword, bytes }) => {
    if (!keywords.includes(keyword.toLowerCase())) return [];
    const [, , ...hex] = latin1(bytes).trim().split(/\s+/);
    return hex.length === 0 ? [] : Buffer.from(hex.join(''), 'hex');
  });
}

function withoutPrefix(block: Uint8Array, prefix: string): Uint8Array {
  const isPrefixed = latin1(block.subarray(0, prefix.length)) === prefix;
  return isPrefixed ? block.subarray(prefix.length) : block;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
