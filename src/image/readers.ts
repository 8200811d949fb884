/** Structure of every format except JPEG, PNG and RAW. The console uses it, so it must not depend on Node.js. */

import { type Format, formatNames } from '../contract/vocabulary.ts';
import { failure } from '../contract/errors.ts';
import { readHeif, readJpeg2000, readJpegXl } from './boxed-formats.ts';
import { ascii, dataView, joinBytes } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { nameIccProfile } from './icc.ts';
import { type MetadataText, toComment } from './metadata-blocks.ts';
import type { RawPixels } from './pixels.ts';
import { readDirectories, readWholeNumber, readWholeNumbers } from './tiff.ts';

/** Each throws a ForensicsError `image_unreadable`. */
export const readers: Readonly<
  Record<Exclude<Format, 'jpg' | 'png' | 'raw'>, (bytes: Uint8Array) => FileFacts>
> = {
  webp: readWebp,
  heic: (bytes) => readHeif(bytes, formatNames.heic),
  avif: (bytes) => readHeif(bytes, formatNames.avif),
  tiff: readTiff,
  gif: readGif,
  bmp: readBmp,
  jp2: readJpeg2000,
  jxl: readJpegXl,
};

function damaged(format: string, what: string) {
  return failure('damaged', { format, what });
}

// WebP. @see RFC 9649, WebP Image Format.

const maxChunks = 10_000;

function readWebp(bytes: Uint8Array): FileFacts {
  const chunks = readChunks(bytes);
  const find = (type: string) => chunks.find((chunk) => chunk.type === type)?.data;
  const [extended, lossless] = [find('VP8X'), find('VP8L')];
  const picture = find('VP8 ') ?? lossless ?? find('ANMF');
  if (picture === undefined) throw damaged('WebP', 'contains no picture data');
  const flags = extended?.[0] ?? 0;
  const hasAlpha = extended === undefined ? isAlphaUsed(lossless) : (flags & 0x10) !== 0;
  const all = (type: string) =>
    chunks.filter((chunk) => chunk.type === type).map(({ data }) => data);
  return {
    ...ordinaryFile,
    ...(extended ? canvasSize(extended) : lossless ? losslessSize(lossless) : lossySize(picture)),
    channels: hasAlpha ? 4 : 3,
    colourSpace: lossless === undefined ? 'YCbCr' : 'RGB',
    hasAlpha,
    iccProfile: nameIccProfile(find('ICCP')),
    notes: (flags & 0x02) === 0 ? [] : ['first_frame_of_animation'],
    // libvips writes the same prefix as it does in a JPEG.
    exif: all('EXIF').map((data) => (ascii(data, 0, 6) === 'Exif\0\0' ? data.subarray(6) : data)),
    xmp: all('XMP '),
    hasCredentials: chunks.some(({ type }) => type === 'C2PA'),
    endOffset: Math.min(8 + dataView(bytes).getUint32(4, true), bytes.length),
  };
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Reads the chunks. One that extends past the end is truncated, because decoders show what there is. */
function readChunks(bytes: Uint8Array): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const view = dataView(bytes);
  for (let at = 12; at + 8 <= bytes.length && chunks.length < maxChunks; ) {
    const size = view.getUint32(at + 4, true);
    chunks.push({ type: ascii(bytes, at, 4), data: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size + (size % 2);
  }
  return chunks;
}

function canvasSize(data: Uint8Array) {
  if (data.length < 10) throw damaged('WebP', 'has no header');
  const at = (i: number) => 1 + (data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16));
  return { width: at(4), height: at(7) };
}

function losslessSize(data: Uint8Array) {
  if (data.length < 5) throw damaged('WebP', 'has no header');
  const bits = dataView(data).getUint32(1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}

function isAlphaUsed(lossless: Uint8Array | undefined): boolean {
  return (
    lossless !== undefined &&
    lossless.length >= 5 &&
    (dataView(lossless).getUint32(1, true) & 0x1000_0000) !== 0
  );
}

/** A key frame: a three-byte tag, a three-byte start code, then 14 bits for each side. */
function lossySize(data: Uint8Array) {
  if (data.length < 10 || ascii(data, 3, 3) !== '\x9d\x01*') throw damaged('WebP', 'has no header');
  const view = dataView(data);
  return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
}

// GIF. @see CompuServe GIF89a; Adobe XMP specification part 3, 1.1.2, for the XMP block.

const maxBlocks = 100_000;
const blocks = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const;
const extensions = { control: 0xf9, comment: 0xfe, application: 0xff } as const;

function readGif(bytes: Uint8Array): FileFacts {
  if (bytes.length < 13) throw failure('cut_off', { format: 'GIF' });
  const view = dataView(bytes);
  const found = {
    frames: 0,
    hasAlpha: false,
    xmp: [] as Uint8Array[],
    texts: [] as MetadataText[],
  };
  let at = 13 + colourTableBytes(bytes[10]!);
  for (let count = 0; at < bytes.length && count < maxBlocks; count++) {
    const kind = bytes[at];
    if (kind === blocks.trailer) {
      at += 1;
      break;
    } else if (kind === blocks.image) {
      found.frames++;
      at = skipBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9] ?? 0));
    } else if (kind === blocks.extension) at = readExtension(bytes, at, found);
    else break;
  }
  const { frames, hasAlpha, xmp, texts } = found;
  if (frames === 0) throw damaged('GIF', 'contains no picture data');
  const hasEnd = bytes[at - 1] === blocks.trailer;
  return {
    ...ordinaryFile,
    width: view.getUint16(6, true),
    height: view.getUint16(8, true),
    channels: hasAlpha ? 4 : 3,
    colourSpace: 'palette',
    hasAlpha,
    notes: [
      ...(frames > 1 ? (['first_frame_of_animation'] as const) : []),
      ...(hasEnd ? [] : (['end_marker_missing'] as const)),
    ],
    xmp,
    texts,
    endOffset: Math.min(at, bytes.length),
  };
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** @returns the offset of the end of the sub-blocks that start at `at`. */
function skipBlocks(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== 0) end += 1 + bytes[end]!;
  return end + 1;
}

function readExtension(
  bytes: Uint8Array,
  at: number,
  found: { hasAlpha: boolean; xmp: Uint8Array[]; texts: MetadataText[] },
): number {
  const label = bytes[at + 1];
  const end = skipBlocks(bytes, at + 2);
  if (label === extensions.control) found.hasAlpha ||= ((bytes[at + 3] ?? 0) & 1) === 1;
  if (label === extensions.comment) found.texts.push(toComment(commentAt(bytes, at + 2)));
  if (label === extensions.application && ascii(bytes, at + 3, 11) === 'XMP DataXMP') {
    // The packet follows the name in one piece; a trailer of 258 bytes makes it readable as sub-blocks.
    found.xmp.push(bytes.subarray(at + 14, Math.max(at + 14, end - 258)));
  }
  return end;
}

function commentAt(bytes: Uint8Array, start: number): string {
  const parts: Uint8Array[] = [];
  for (let at = start; at < bytes.length && bytes[at] !== 0; at += 1 + bytes[at]!) {
    parts.push(bytes.subarray(at + 1, at + 1 + bytes[at]!));
  }
  return new TextDecoder().decode(joinBytes(parts));
}

// The first picture of a TIFF file. @see TIFF 6.0, section 8; ICC.1:2022, B.4, for the profile tag.

const tags = {
  subfileType: 0x00fe,
  width: 0x0100,
  height: 0x0101,
  bitsPerSample: 0x0102,
  photometric: 0x0106,
  compression: 0x0103,
  samplesPerPixel: 0x0115,
  tileOffsets: 0x0144,
  tileBytes: 0x0145,
  extraSamples: 0x0152,
  sampleFormat: 0x0153,
  icc: 0x8773,
  /** C2PA Technical Specification 2.2, A.3.4. */
  credentials: 0xcd41,
} as const;
const colourSpaces = ['grey', 'grey', 'RGB', 'palette', 'grey', 'CMYK', 'YCbCr', 'other', 'Lab'];
/** LZMA, Zstandard and WebP, which this build of libtiff lacks. */
const unreadCompressions: readonly number[] = [34_925, 50_000, 50_001];
const jpegCompression = 7;
const unsignedIntegers = 1;

function readTiff(bytes: Uint8Array): FileFacts {
  const { primary, thumbnail } = readDirectories(bytes);
  const number = (tag: number) => readWholeNumber(primary.get(tag));
  const [width, height] = [number(tags.width), number(tags.height)];
  if (width === null || height === null) {
    // Most programs write the directory last, where a file cut off no longer has it.
    const isCut =
      bytes.length < 8 || dataView(bytes).getUint32(4, bytes[0] === 0x49) >= bytes.length;
    throw isCut
      ? failure('cut_off', { format: 'TIFF' })
      : damaged('TIFF', 'has no readable directory');
  }
  const colourSpace = colourSpaces[number(tags.photometric) ?? 2] ?? 'other';
  const channels = colourSpace === 'palette' ? 3 : (number(tags.samplesPerPixel) ?? 1);
  const bitsPerSample = number(tags.bitsPerSample) ?? 1;
  const compression = number(tags.compression) ?? 1;
  // libvips would show other values: it converts YCbCr only in a JPEG, and gives other formats a gamma.
  const isChanged =
    bitsPerSample > 16 ||
    (number(tags.sampleFormat) ?? unsignedIntegers) !== unsignedIntegers ||
    (colourSpace === 'YCbCr' && compression !== jpegCompression);
  if (isChanged || colourSpace === 'Lab' || unreadCompressions.includes(compression))
    throw failure('rare_kind', { format: 'TIFF' });
  // libtiff refuses a file that lacks strips, but fills in missing tiles.
  const tileBytes = readWholeNumbers(primary.get(tags.tileBytes));
  const tiles = readWholeNumbers(primary.get(tags.tileOffsets));
  if (tiles.some((offset, i) => offset + (tileBytes[i] ?? 0) > bytes.length))
    throw failure('cut_off', { format: 'TIFF' });
  // Whether the second directory is another page, rather than a reduced copy or a mask.
  const isPage = ((readWholeNumber(thumbnail.get(tags.subfileType)) ?? 0) & 5) === 0;
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample,
    channels,
    colourSpace,
    hasAlpha: primary.has(tags.extraSamples),
    iccProfile: nameIccProfile(primary.get(tags.icc)?.bytes),
    notes: thumbnail.has(tags.width) && isPage ? ['first_page'] : [],
    // XMP, IPTC and Photoshop resources are fields of the directory, and are read from there.
    exif: [bytes],
    hasCredentials: primary.has(tags.credentials),
    endOffset: bytes.length,
  };
}

// BMP. @see Microsoft, Windows GDI: BITMAPFILEHEADER, BITMAPINFOHEADER to BITMAPV5HEADER.

function readBmp(bytes: Uint8Array): FileFacts {
  const { width, height, bits, hasAlpha } = readBmpHeader(bytes);
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample: Math.min(bits, 8),
    channels: hasAlpha ? 4 : 3,
    colourSpace: bits <= 8 ? 'palette' : 'RGB',
    hasAlpha,
    endOffset: Math.min(dataView(bytes).getUint32(2, true) || bytes.length, bytes.length),
  };
}

function readBmpHeader(bytes: Uint8Array) {
  const view = dataView(bytes);
  if (bytes.length < 54) throw damaged('BMP', 'has no header');
  const headerBytes = view.getUint32(14, true);
  // The headers of OS/2.
  if (headerBytes < 40) throw failure('rare_kind', { format: 'BMP' });
  const height = view.getInt32(22, true);
  const bits = view.getUint16(28, true);
  return {
    width: Math.abs(view.getInt32(18, true)),
    height: Math.abs(height),
    isTopDown: height < 0,
    bits,
    hasAlpha: bits === 32 && headerBytes >= 56,
    colours: Math.min(view.getUint32(46, true) || 2 ** bits, 256),
    paletteAt: 14 + headerBytes,
    rowsAt: view.getUint32(10, true),
  };
}

const bitsOfKinds = [1, 2, 4, 8, 24, 32];
const compressions = { none: 0, masks: 3 } as const;
/** Masks of red, green and blue, when stored in the usual order. */
const usualMasks = [0xff0000, 0xff00, 0xff];

/** @throws {ForensicsError} `image_unreadable`, `image_not_supported`. */
export function decodeBmp(bytes: Uint8Array): RawPixels {
  const header = readBmpHeader(bytes);
  const { width, height, isTopDown, bits, hasAlpha, colours, paletteAt, rowsAt } = header;
  const view = dataView(bytes);
  const compression = view.getUint32(30, true);
  const hasMasks = bits === 32 && compression === compressions.masks;
  const isUsual = hasMasks
    ? usualMasks.every((mask, i) => bytes.length >= 70 && view.getUint32(54 + 4 * i, true) === mask)
    : compression === compressions.none && bitsOfKinds.includes(bits);
  if (!isUsual) throw failure('rare_kind', { format: 'BMP' });
  const isAlphaStored = hasAlpha && hasMasks && view.getUint32(66, true) !== 0;
  const stride = Math.ceil((width * bits) / 32) * 4;
  // Some programs leave out the padding of the last row.
  const rowsEnd = rowsAt + (height - 1) * stride + Math.ceil((width * bits) / 8);
  if (bytes.length < rowsEnd) throw failure('cut_off', { format: 'BMP' });
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    const row = rowsAt + (isTopDown ? y : height - 1 - y) * stride;
    for (let x = 0; x < width; x++, to += channels) {
      const index = bits <= 8 ? indexAt(bytes, row, x, bits) : 0;
      const from = bits <= 8 ? paletteAt + 4 * index : row + (x * bits) / 8;
      // A colour that the palette lacks is black.
      if (index < colours) for (let k = 0; k < 3; k++) data[to + k] = bytes[from + 2 - k] ?? 0;
      if (hasAlpha) data[to + 3] = isAlphaStored ? (bytes[from + 3] ?? 0) : 255;
    }
  }
  return { width, height, channels, data };
}

function indexAt(bytes: Uint8Array, row: number, x: number, bits: number): number {
  const perByte = 8 / bits;
  const byte = bytes[row + Math.floor(x / perByte)] ?? 0;
  return (byte >> (8 - bits * (1 + (x % perByte)))) & (2 ** bits - 1);
}
