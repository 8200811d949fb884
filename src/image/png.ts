/** Opens a PNG file without decoding it, and takes what the decoder needs (W3C PNG specification, third edition). */

import { once } from 'node:events';
import { crc32, createInflate, inflateSync } from 'node:zlib';
import { failure, type ForensicsError } from '../contract/errors.ts';
import { ascii, dataView, decodeText } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { nameIccProfile } from './icc.ts';
import type { Warning } from '../contract/provenance.ts';
import type { MetadataBlocks } from './metadata-blocks.ts';
import type { PictureNote } from './picture.ts';
import type { Size } from './pixels.ts';

interface Chunk {
  /** Four letters, such as `tEXt`. */
  readonly type: string;
  readonly data: Uint8Array;
}

/** Channels and permitted bit depths of each colour type (Table 11.1 of the specification). */
const colourTypes: readonly {
  readonly type: number;
  readonly name: string;
  readonly channels: number;
  readonly bitDepths: readonly number[];
}[] = [
  { type: 0, name: 'grey', channels: 1, bitDepths: [1, 2, 4, 8, 16] },
  { type: 2, name: 'RGB', channels: 3, bitDepths: [8, 16] },
  { type: 3, name: 'palette', channels: 3, bitDepths: [1, 2, 4, 8] },
  { type: 4, name: 'grey', channels: 2, bitDepths: [8, 16] },
  { type: 6, name: 'RGB', channels: 4, bitDepths: [8, 16] },
];

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

/** Notes irregularities about which libpng only warns. @throws {ForensicsError} `image_unreadable`. */
export function openPng(bytes: Uint8Array): FileFacts {
  const { width, height } = readPngSize(bytes);
  const [bitsPerSample = 0, type, , , interlace] = bytes.subarray(signatureBytes + 16);
  const colours = colourTypes.find((known) => known.type === type);
  if (colours === undefined || !colours.bitDepths.includes(bitsPerSample))
    throw damaged('has an impossible colour type');
  const { name, channels } = colours;
  const isPalette = name === 'palette';
  const { types, metadata, pixels, notes, endOffset, hasEnd } = walkChunks(bytes, isPalette);
  if (!pixels.some((chunk) => chunk.type === 'IDAT'))
    throw hasEnd ? damaged('contains no picture data') : failure('cut_off', { format: 'PNG' });
  const hasKey = pixels.some((chunk) => chunk.type === 'tRNS');
  const hasOwnAlpha = channels === 2 || channels === 4;
  // A palette pixel is a single index.
  const bitsPerPixel = bitsPerSample * (isPalette ? 1 : channels);
  const rowBytes = 1 + Math.ceil((width * bitsPerPixel) / 8);
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample,
    channels: hasKey && !hasOwnAlpha ? channels + 1 : channels,
    colourSpace: name,
    hasAlpha: hasKey || hasOwnAlpha,
    iccProfile: readIccName(metadata),
    ...readBlocks(metadata),
    hasCredentials: types.has('caBX'),
    // What follows IEND is not part of the picture.
    endOffset,
    notes: [
      ...(types.has('acTL') ? (['first_frame_of_animation'] as const) : []),
      ...(hasEnd ? [] : (['end_marker_missing'] as const)),
      ...notes,
    ],
    pixelBytes: writeFile(pixels),
    // libpng gives up on a damaged file whose rows are interlaced.
    ...(interlace === 0 && { countSoundRows: () => countSoundRows(pixels, { height, rowBytes }) }),
  };
}

interface PixelChunk extends Chunk {
  /** Whether the checksum is correct, or is missing because the file ends within the chunk. */
  readonly isSound: boolean;
}

/** Reads chunks up to IEND or, if that is missing, to the last one. */
function walkChunks(bytes: Uint8Array, isPalette: boolean) {
  const types = new Set<string>();
  const metadata: Chunk[] = [];
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

/** A file of only these chunks, with correct checksums and an end. */
function writeFile(chunks: readonly Chunk[]): Uint8Array {
  const end = { type: 'IEND', data: new Uint8Array() };
  const written = [...chunks, end].flatMap(({ type, data }) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
    return [head, data, checksum];
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...written]);
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

function readBlocks(chunks: readonly Chunk[]): MetadataBlocks {
  const isCut = chunks.length > maxMetadataChunks;
  const kept = chunks.slice(0, maxMetadataChunks);
  const warnings: Warning[] = isCut ? [{ code: 'png_chunks_cut', values: {} }] : [];
  const inflate = createInflater(warnings);
  const entries = kept.flatMap((chunk) => readText(chunk, inflate) ?? []);
  const raw = (...names: readonly string[]) => findRawProfiles(entries, names);
  const exif = kept.filter(({ type }) => type === 'eXIf').map(({ data }) => data);
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
function readIccName(chunks: readonly Chunk[]): string | null {
  const data = chunks.slice(0, maxMetadataChunks).find(({ type }) => type === 'iCCP')?.data;
  const nameEnd = data?.indexOf(0) ?? -1;
  if (data === undefined || nameEnd < 1 || nameEnd > 79) return null;
  const profile = createInflater([])(data.subarray(nameEnd + 2), 'iCCP');
  return (profile && nameIccProfile(profile)) ?? ascii(data, 0, nameEnd);
}

const xmpKeyword = 'XML:com.adobe.xmp';
const xmpIdentifier = 'http://ns.adobe.com/xap/1.0/\0';

function isXmp(block: Uint8Array): boolean {
  return ascii(block, 0, xmpIdentifier.length) === xmpIdentifier;
}

/** Null, with a warning, for a decompression bomb or a broken stream; gives up on a file after the first few. */
function createInflater(warnings: Warning[]) {
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

type TextEntry = NonNullable<ReturnType<typeof readText>>;

/** Keyword, NUL, then a layout that depends on the type of the chunk (PNG specification, 11.3.3). */
function readText({ type, data }: Chunk, inflate: ReturnType<typeof createInflater>) {
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

// Counts the intact rows of a damaged file.

/** From the top: the rows before the first wrong checksum or invalid code. */
async function countSoundRows(
  chunks: readonly PixelChunk[],
  { height, rowBytes }: { readonly height: number; readonly rowBytes: number },
): Promise<number> {
  const data = chunks.filter(({ type }) => type === 'IDAT');
  const damagedAt = data.findIndex(({ isSound }) => !isSound);
  const sound = damagedAt < 0 ? data : data.slice(0, damagedAt);
  // More than all rows would be a decompression bomb.
  const bytes = await inflatedBytes(sound, 2 * height * rowBytes);
  return Math.min(height, Math.floor(bytes / rowBytes));
}

/** Inflates in small pieces, because the whole output of a broken piece is lost. */
const pieceBytes = 1024;

async function inflatedBytes(chunks: readonly Chunk[], maxBytes: number): Promise<number> {
  const inflate = createInflate();
  let count = 0;
  inflate.on('data', (data: Uint8Array) => (count += data.length));
  const isOver = once(inflate, 'end').catch(() => undefined);
  for (const { data } of chunks) {
    for (let at = 0; at < data.length; at += pieceBytes) {
      const piece = data.subarray(at, at + pieceBytes);
      const written = new Promise<void>((resolve) => inflate.write(piece, () => resolve()));
      // oxlint-disable-next-line no-await-in-loop -- each piece must be written before the next
      await Promise.race([written, isOver]);
      if (inflate.destroyed || count > maxBytes) return count;
    }
  }
  inflate.end();
  await isOver;
  return count;
}
