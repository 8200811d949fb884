/** Reads the chunks and metadata of a PNG file without decoding a pixel (W3C PNG specification, third edition). */

import { crc32, inflateSync } from 'node:zlib';
import { failure } from '../contract/failure-reasons.ts';
import type { ForensicsError } from '../errors.ts';
import { ascii, dataView } from './bytes.ts';
import type { PictureNote } from './picture.ts';
import type { Size } from './pixels.ts';
import { nameIccProfile } from './icc.ts';
import type { MetadataBlocks, Warning } from './metadata-blocks.ts';
import { decodeText } from './text.ts';

export interface PngChunk {
  /** Four letters, such as `tEXt`. */
  readonly type: string;
  readonly data: Uint8Array;
}

export interface PngFile extends Size {
  readonly bitDepth: number;
  readonly colourType: keyof typeof colourTypes;
  /** Whether a transparent colour or an alpha channel may make pixels transparent. */
  readonly hasAlpha: boolean;
  readonly isAnimated: boolean;
  readonly isInterlaced: boolean;
  /** Text, EXIF and colour profile chunks, in file order. */
  readonly metadataChunks: readonly PngChunk[];
  /** True if there were more metadata chunks than were kept. */
  readonly isMetadataCut: boolean;
  /** Whether there is a chunk with C2PA content credentials. */
  readonly hasCredentials: boolean;
  /** Offset of the end of IEND: what follows is not part of the picture. */
  readonly endOffset: number;
  /** Chunks that the pixels need: IHDR, PLTE for palettes, tRNS and IDAT. */
  readonly pixelChunks: readonly PixelChunk[];
  /** Irregularities that viewers ignore. */
  readonly notes: readonly PictureNote[];
}

export interface PixelChunk extends PngChunk {
  /** Whether the checksum is correct, or is missing because the file ends within the chunk. */
  readonly isSound: boolean;
}

/** Channels and permitted bit depths of each colour type (Table 11.1 of the specification). */
export const colourTypes = {
  0: { name: 'grey', channels: 1, bitDepths: [1, 2, 4, 8, 16] },
  2: { name: 'RGB', channels: 3, bitDepths: [8, 16] },
  3: { name: 'palette', channels: 3, bitDepths: [1, 2, 4, 8] },
  4: { name: 'grey', channels: 2, bitDepths: [8, 16] },
  6: { name: 'RGB', channels: 4, bitDepths: [8, 16] },
} as const;

const signatureBytes = 8;
const pixelTypes: readonly string[] = ['IHDR', 'PLTE', 'tRNS', 'IDAT'];
const metadataTypes: readonly string[] = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'iCCP'];

/** Protects against malicious files: with the usual chunks of 8 KB, a 50 MB file has 6,400. */
const maxChunks = 100_000;
const maxMetadataChunks = 10_000;

/** Size in pixels, read from the first chunk only. @throws {ForensicsError} `image_unreadable`. */
export function readPngSize(bytes: Uint8Array): Size {
  const header = readChunk(bytes, signatureBytes);
  if (header === null || header.isCut) throw failure('cut_off', { format: 'PNG' });
  if (header.type !== 'IHDR' || header.data.length !== 13) throw damaged('has no header');
  if (!header.isSound) throw damaged('fails its checksum in a IHDR chunk');
  const view = dataView(header.data);
  return { width: view.getUint32(0), height: view.getUint32(4) };
}

/**
 * Reads the whole file except its pixels. Irregularities about which libpng only warns are noted
 * and ignored; the file may end anywhere after the first pixel chunk.
 *
 * @throws {ForensicsError} `image_unreadable` if truncated or damaged.
 */
export function readPng(bytes: Uint8Array): PngFile {
  const { width, height } = readPngSize(bytes);
  const [bitDepth, type] = bytes.subarray(signatureBytes + 16);
  const colourType = ([0, 2, 3, 4, 6] as const).find((known) => known === type);
  const bitDepths: readonly number[] =
    colourType === undefined ? [] : colourTypes[colourType].bitDepths;
  if (colourType === undefined || bitDepth === undefined || !bitDepths.includes(bitDepth)) {
    throw damaged('has an impossible colour type');
  }
  const walk = walkChunks(bytes, colourType === 3);
  const pixelTypesFound = new Set(walk.pixels.map((chunk) => chunk.type));
  if (!pixelTypesFound.has('IDAT'))
    throw walk.hasEnd ? damaged('contains no picture data') : failure('cut_off', { format: 'PNG' });
  return {
    width,
    height,
    bitDepth,
    colourType,
    hasAlpha: colourType === 4 || colourType === 6 || pixelTypesFound.has('tRNS'),
    isAnimated: walk.types.has('acTL'),
    isInterlaced: bytes[signatureBytes + 20] === 1,
    metadataChunks: walk.metadata.slice(0, maxMetadataChunks),
    isMetadataCut: walk.metadata.length > maxMetadataChunks,
    hasCredentials: walk.types.has('caBX'),
    endOffset: walk.endOffset,
    pixelChunks: walk.pixels,
    notes: walk.hasEnd ? [...walk.notes] : ['end_marker_missing', ...walk.notes],
  };
}

/** Reads chunks up to IEND or, if that is missing, to the last one. */
function walkChunks(bytes: Uint8Array, isPalette: boolean) {
  const types = new Set<string>();
  const metadata: PngChunk[] = [];
  const pixels: PixelChunk[] = [];
  const notes = new Set<PictureNote>();
  let offset = signatureBytes;
  for (let count = 0; count < maxChunks; count++) {
    const chunk = readChunk(bytes, offset);
    if (chunk === null) return { types, metadata, pixels, notes, endOffset: offset, hasEnd: false };
    const { type, isCut, isSound, end } = chunk;
    types.add(type);
    if (!isSound && type !== 'IEND')
      notes.add(type === 'IDAT' ? 'checksum_wrong' : 'chunk_ignored');
    if (metadataTypes.includes(type) && !isCut && metadata.length <= maxMetadataChunks)
      metadata.push(chunk);
    if (!isSound && type === 'PLTE' && isPalette)
      throw damaged('fails its checksum in a PLTE chunk');
    // libpng also skips chunks that are broken or that the pixels do not need.
    const isUseless = type !== 'IDAT' && (!isSound || isCut || (type === 'PLTE' && !isPalette));
    if (pixelTypes.includes(type) && !isUseless) pixels.push(chunk);
    if (type === 'IEND') return { types, metadata, pixels, notes, endOffset: end, hasEnd: true };
    offset = end;
  }
  throw damaged(`has more than ${maxChunks} chunks`);
}

/** A chunk: data length, type, data, CRC-32 of type and data. Null if there is none; cut at the end of the file. */
function readChunk(bytes: Uint8Array, offset: number) {
  const dataStart = offset + 8;
  if (dataStart > bytes.length) return null;
  const length = dataView(bytes).getUint32(offset);
  const type = ascii(bytes, offset + 4, 4);
  if (!/^[A-Za-z]{4}$/.test(type)) return null;
  const end = Math.min(dataStart + length + 4, bytes.length);
  const data = bytes.subarray(dataStart, Math.min(dataStart + length, bytes.length));
  const isCut = dataStart + length + 4 > bytes.length;
  const isSound =
    isCut ||
    dataView(bytes).getUint32(end - 4) === crc32(bytes.subarray(offset + 4, dataStart + length));
  return { type, data, end, isCut, isSound };
}

/** Builds a file of only the pixel chunks, with correct checksums and an end. */
export function pngPixelBytes({ pixelChunks }: Pick<PngFile, 'pixelChunks'>): Uint8Array {
  const end = { type: 'IEND', data: new Uint8Array() };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[...pixelChunks, end].flatMap(writeChunk),
  ]);
}

function writeChunk({ type, data }: PngChunk): readonly Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return [head, data, checksum];
}

/** `what` completes "The PNG file ...". */
function damaged(what: string): ForensicsError {
  return failure('damaged', { format: 'PNG', what });
}

// Extracts the metadata from the chunks of a PNG file; compressed text is inflated within limits.

/** Limit for one piece of inflated text, in bytes; all together may have twice as much. Photoshop writes a megabyte. */
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
  const xmp = entries.filter(({ keyword }) => keyword === xmpKeyword);
  return {
    exif: [...exif, ...raw('exif'), ...app1.filter((block) => !isXmp(block))].map((block) =>
      withoutPrefix(block, 'Exif\0\0'),
    ),
    xmp: [...xmp.map(({ bytes }) => bytes), ...raw('xmp'), ...app1.filter(isXmp)].map((block) =>
      withoutPrefix(block, xmpIdentifier),
    ),
    photoshop: raw('iptc', '8bim', 'APP13').map((block) => withoutPrefix(block, 'Photoshop 3.0\0')),
    texts: entries.flatMap(({ keyword, bytes }) =>
      // Blocks are read as such, and not kept as text, because they may contain a position.
      keyword === xmpKeyword || keyword.startsWith('Raw profile type ')
        ? []
        : { place: 'png-text', keyword, text: decodeText(bytes) },
    ),
    warnings,
  };
}

/** The name in the colour profile or, failing that, in the iCCP chunk; null if there is none. */
export function pngIccName({ metadataChunks }: PngFile): string | null {
  const data = metadataChunks.find(({ type }) => type === 'iCCP')?.data;
  const nameEnd = data?.indexOf(0) ?? -1;
  if (data === undefined || nameEnd < 1 || nameEnd > 79) return null;
  const profile = createInflate([])(data.subarray(nameEnd + 2), 'iCCP');
  return (profile && nameIccProfile(profile)) ?? ascii(data, 0, nameEnd);
}

const xmpKeyword = 'XML:com.adobe.xmp';
const xmpIdentifier = 'http://ns.adobe.com/xap/1.0/\0';

function isXmp(block: Uint8Array): boolean {
  return ascii(block, 0, xmpIdentifier.length) === xmpIdentifier;
}

/** Null, with a warning, for a decompression bomb or a broken stream; gives up on a file after the first few. */
function createInflate(warnings: Warning[]) {
  let budget = maxInflatedTotal;
  return (compressed: Uint8Array, keyword: string): Uint8Array | null => {
    try {
      const maxOutputLength = Math.max(1, Math.min(budget, maxInflatedBytes));
      const inflated = inflateSync(compressed, { maxOutputLength });
      budget -= inflated.length;
      return inflated;
    } catch {
      // A broken stream may have taken as long as a bomb.
      budget -= maxInflatedBytes;
      if (warnings.length < maxWarnings)
        warnings.push({ code: 'png_text_not_inflated', values: { keyword } });
      return null;
    }
  };
}

/** Keyword, NUL, then a layout that depends on the type of the chunk (PNG specification, 11.3.3). */
function readText({ type, data }: PngChunk, inflate: ReturnType<typeof createInflate>) {
  const keywordEnd = data.indexOf(0);
  if (keywordEnd < 1 || keywordEnd > 79) return null;
  const keyword = ascii(data, 0, keywordEnd);
  const rest = data.subarray(keywordEnd + 1);
  if (type === 'tEXt') return { keyword, bytes: rest };
  if (type === 'zTXt') {
    const bytes = inflate(rest.subarray(1), keyword);
    return bytes && { keyword, bytes };
  }
  if (type !== 'iTXt') return null;
  // Compression flag and method, then the language tag and the translated keyword, each ending with NUL.
  const languageEnd = rest.indexOf(0, 2);
  const textStart = languageEnd < 0 ? -1 : rest.indexOf(0, languageEnd + 1);
  if (textStart < 0) return null;
  const stored = rest.subarray(textStart + 1);
  const bytes = rest[0] === 1 ? inflate(stored, keyword) : stored;
  return bytes && { keyword, bytes };
}

/** ImageMagick stores metadata blocks as text: a line with the name, a line with the length, then hex digits. */
function findRawProfiles(entries: readonly TextEntry[], names: readonly string[]) {
  const keywords = names.map((name) => `raw profile type ${name.toLowerCase()}`);
  return entries.flatMap(({ keyword, bytes }) => {
    if (!keywords.includes(keyword.toLowerCase())) return [];
    const [, , ...hex] = Buffer.from(bytes).toString('latin1').trim().split(/\s+/);
    return hex.length === 0 ? [] : Buffer.from(hex.join(''), 'hex');
  });
}

function withoutPrefix(block: Uint8Array, prefix: string): Uint8Array {
  const isPrefixed = ascii(block, 0, prefix.length) === prefix;
  return isPrefixed ? block.subarray(prefix.length) : block;
}
