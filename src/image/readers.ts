/**
 * Readers of file structure for every format except JPEG, PNG and RAW. The console uses them to
 * read sizes, so none of them may depend on Node.js.
 */

import { type Format, formatNames } from '../contract/formats.ts';
import { readBmp } from './bmp.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { readHeif } from './heif.ts';
import { failure } from '../contract/failure-reasons.ts';
import { ascii, dataView, joinBytes } from './bytes.ts';
import { readDirectories, readWholeNumber } from './tiff.ts';
import { boxesOf, endOfBoxes, hasCredentialsBox, readBoxes, uuidBoxes } from './boxes.ts';

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

/** A file that is `bare` is a codestream without boxes around it. */
function openBoxes(bytes: Uint8Array) {
  const bare = bytes[0] === 0xff ? bytes : null;
  const boxes = bare ? [] : readBoxes(bytes);
  const endOffset = bare ? bytes.length : endOfBoxes(boxes);
  return { boxes, bare, rest: { hasCredentials: hasCredentialsBox(boxes), endOffset } };
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
    icc: find('ICCP') ?? null,
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
  const found = { frames: 0, hasAlpha: false, xmp: [] as Uint8Array[], comments: [] as string[] };
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
  const { frames, hasAlpha, xmp, comments } = found;
  if (frames === 0) throw damaged('GIF', 'contains no picture data');
  return {
    ...ordinaryFile,
    width: view.getUint16(6, true),
    height: view.getUint16(8, true),
    channels: hasAlpha ? 4 : 3,
    colourSpace: 'palette',
    hasAlpha,
    notes: frames > 1 ? ['first_frame_of_animation'] : [],
    xmp,
    comments,
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
  found: { hasAlpha: boolean; xmp: Uint8Array[]; comments: string[] },
): number {
  const label = bytes[at + 1];
  const end = skipBlocks(bytes, at + 2);
  if (label === extensions.control) found.hasAlpha ||= ((bytes[at + 3] ?? 0) & 1) === 1;
  if (label === extensions.comment) found.comments.push(commentAt(bytes, at + 2));
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
  samplesPerPixel: 0x0115,
  extraSamples: 0x0152,
  icc: 0x8773,
  /** C2PA Technical Specification 2.2, A.3.4. */
  credentials: 0xcd41,
} as const;
const colourSpaces = ['grey', 'grey', 'RGB', 'palette', 'grey', 'CMYK', 'YCbCr', 'other', 'Lab'];

function readTiff(bytes: Uint8Array): FileFacts {
  const { primary, thumbnail } = readDirectories(bytes);
  const number = (tag: number) => readWholeNumber(primary.get(tag));
  const [width, height] = [number(tags.width), number(tags.height)];
  if (width === null || height === null) throw damaged('TIFF', 'has no readable directory');
  const channels = number(tags.samplesPerPixel) ?? 1;
  // Whether the second directory is another page, rather than a reduced copy or a mask.
  const isPage = ((readWholeNumber(thumbnail.get(tags.subfileType)) ?? 0) & 5) === 0;
  const colourSpace = colourSpaces[number(tags.photometric) ?? 2] ?? 'other';
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample: number(tags.bitsPerSample) ?? 1,
    channels,
    colourSpace,
    hasAlpha: primary.has(tags.extraSamples),
    icc: primary.get(tags.icc)?.bytes ?? null,
    notes: thumbnail.has(tags.width) && isPage ? ['first_page'] : [],
    // XMP, IPTC and Photoshop resources are fields of the directory, and are read from there.
    exif: [bytes],
    hasCredentials: primary.has(tags.credentials),
    endOffset: bytes.length,
  };
}

// JPEG 2000, file or codestream. @see ITU-T T.800: Annex A (SIZ), Annex I (JP2).

/** Adobe XMP specification part 3, 1.1.4; then the box in which several programs store EXIF. */
const ids = {
  xmp: 'be7acfcb97a942e89c71999491e3afac',
  exif: '4a706754696666457869662d3e4a5032',
} as const;

function readJpeg2000(bytes: Uint8Array): FileFacts {
  const { boxes, bare, rest } = openBoxes(bytes);
  const stream = bare ?? boxesOf(boxes, 'jp2c')[0];
  // SOC comes first, then SIZ: length, capabilities and the reference grid.
  if (stream === undefined || stream.length < 42 || stream[3] !== 0x51)
    throw damaged('JPEG 2000', 'contains no picture data');
  const view = dataView(stream);
  const channels = view.getUint16(40);
  const header = boxesOf(boxes, 'jp2h').flatMap((data) => readBoxes(data));
  const profile = boxesOf(header, 'colr').find((data) => data[0] === 2);
  const hasAlpha = channels === 2 || channels === 4;
  return {
    ...ordinaryFile,
    width: view.getUint32(8) - view.getUint32(16),
    height: view.getUint32(12) - view.getUint32(20),
    bitsPerSample: 1 + ((stream[42] ?? 7) & 0x7f),
    channels,
    colourSpace: channels < 3 ? 'grey' : 'RGB',
    hasAlpha,
    icc: profile?.subarray(3) ?? null,
    // For JPEG 2000, no viewer applies the EXIF orientation.
    ownOrientation: 1,
    exif: uuidBoxes(boxes, ids.exif),
    xmp: uuidBoxes(boxes, ids.xmp),
    ...rest,
  };
}

// JPEG XL, file or codestream. @see ISO/IEC 18181-1: A.3 (SizeHeader), A.6 (ImageMetadata); 18181-2 for boxes.

function readJpegXl(bytes: Uint8Array): FileFacts {
  const { boxes, bare, rest } = openBoxes(bytes);
  // Each part starts with its sequence number.
  const stream =
    bare ??
    boxesOf(boxes, 'jxlc')[0] ??
    joinBytes(boxesOf(boxes, 'jxlp').map((part) => part.subarray(4)));
  if (stream.length < 12) throw damaged('JPEG XL', 'contains no picture data');
  const { width, height, orientation, isAnimated } = readHeader(stream);
  return {
    ...ordinaryFile,
    width,
    height,
    channels: 3,
    colourSpace: 'RGB',
    hasAlpha: false,
    ownOrientation: orientation,
    notes: isAnimated ? ['first_frame_of_animation'] : [],
    // The TIFF structure is preceded by its four-byte offset.
    exif: boxesOf(boxes, 'Exif').map((data) =>
      data.subarray(data.length < 4 ? 4 : 4 + dataView(data).getUint32(0)),
    ),
    xmp: boxesOf(boxes, 'xml '),
    ...rest,
  };
}

const ratios: readonly (readonly [number, number])[] = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];

function readHeader(stream: Uint8Array) {
  let at = 16;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++)
      value += (((stream[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? 8 * (1 + bits(5)) : 1 + bits([9, 13, 18, 30][bits(2)]!));
  const height = side();
  const ratio = ratios[bits(3) - 1];
  const width = ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1]);
  const stored = { width, height };
  const isDefault = bits(1) === 1;
  if (isDefault || bits(1) === 0) return { ...stored, orientation: 1, isAnimated: false };
  const orientation = 1 + bits(3);
  // The intrinsic size and a preview may come before the animation flag.
  const hasWindow = bits(1) === 1;
  const isPlain = !hasWindow && bits(1) === 0;
  return { ...stored, orientation, isAnimated: isPlain && bits(1) === 1 };
}
