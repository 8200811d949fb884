/** Turns a file into a Picture: decoded once, hashed and described. Rejects files before any pixel is decoded. */

import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { failure, ForensicsError } from '../contract/errors.ts';
import { contractFormats, type Format, formatNames } from '../contract/vocabulary.ts';
import { ascii, decodeText } from './bytes.ts';
import { decodeWithSharp, type PixelRequest } from './codec.ts';
import { openContainer } from './container.ts';
import { readExifClues } from './exif.ts';
import type { FileFacts } from './file-facts.ts';
import { formatOfName } from './file-kind.ts';
import { endOfImage } from './jpeg-metadata.ts';
import { holdsEveryScan, markers, readJpeg } from './jpeg-structure.ts';
import type { MetadataText } from './metadata-blocks.ts';
import { readMetadata } from './metadata.ts';
import { isQuarterTurn } from './orientation.ts';
import {
  defaultLimits,
  type Limits,
  type Picture,
  type PictureNote,
  pictureNotes,
} from './picture.ts';
import { type LumaPlane, type RawPixels, toLuma, toRgb, withLuma } from './pixels.ts';
import { decodeBmp } from './readers.ts';
import { decodeHeic, decodeJpeg2000, decodeJpegXl } from './wasm-decoders.ts';

/**
 * Decodes the picture upright, in 8-bit RGB, with values as stored: RGB and grey are not colour-managed.
 *
 * @param name - of the file, used only to note an extension that does not match the content. Never opened or stored.
 * @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_not_supported`, `image_too_small`,
 *   `image_too_large`, `image_unreadable`.
 */
export async function decodePicture(
  bytes: Uint8Array,
  { name, limits = defaultLimits }: { readonly name?: string; readonly limits?: Limits } = {},
): Promise<Picture> {
  const { format, file } = openContainer(bytes, limits);
  const { metadata, texts, orientation: ofExif } = readMetadata(file);
  const orientation = file.ownOrientation ?? ofExif;
  const decoding = decodePixels(bytes, { format, file, orientation });
  // sharp decodes in a thread of its own, so the digests are computed at the same time.
  const digests = {
    sha256: hash('sha256', bytes),
    sha512: hash('sha512', bytes),
    md5: hash('md5', bytes),
  };
  const { pixels, notes: oddities, soundShare } = await decoding;
  const { width, height } = pixels;
  const { rgb, hadTransparency } = toRgb(pixels);
  const hiddenText = readStealthText(pixels);
  const named = name === undefined ? null : formatOfName(name);
  const notes = allNotes(file, oddities, {
    transparency_flattened_on_white: hadTransparency,
    rotated_by_exif: orientation !== 1 && file.ownOrientation === null,
    rotated_by_container: orientation !== 1 && file.ownOrientation !== null,
    extension_disagrees: named !== null && named !== format,
  });
  const { bitsPerSample, channels, colourSpace, hasAlpha, iccProfile, jpeg } = file;
  const stored = { bitsPerSample, channels, colourSpace, hasAlpha, iccProfile, jpeg };
  const thumbnail = await readThumbnail(file.exif);
  const { exif, endOffset, hasCredentials, pictureIndex } = file;
  return withLuma({
    facts: {
      format,
      sizeBytes: bytes.length,
      ...digests,
      width,
      height,
      orientation,
      storedWidth: file.width,
      storedHeight: file.height,
      ...stored,
      notes,
      ...(soundShare < 1 && { soundShare }),
      metadata,
    },
    rgb,
    clues: { exif, endOffset, hasCredentials, pictureIndex, texts },
    ...(thumbnail !== null && { thumbnail }),
    ...(hiddenText !== null && { hiddenText }),
  });
}

/** Sorted in the order of `pictureNotes`, so that identical pictures have identical notes. */
function allNotes(
  { colourSpace, bitsPerSample, notes }: FileFacts,
  oddities: readonly PictureNote[],
  seen: Partial<Record<PictureNote, boolean>>,
): PictureNote[] {
  const applies: Partial<Record<PictureNote, boolean>> = {
    ...seen,
    converted_from_cmyk: colourSpace === 'CMYK' || colourSpace === 'YCCK',
    converted_from_grey: colourSpace === 'grey',
    reduced_from_16_bit: bitsPerSample === 16,
    reduced_to_8_bit: bitsPerSample > 8 && bitsPerSample !== 16,
  };
  const found: readonly PictureNote[] = [...notes, ...oddities];
  return pictureNotes.filter((note) => applies[note] === true || found.includes(note));
}

const limits: Limits = {
  minSidePx: 16,
  maxSidePx: 1024,
  maxPixels: 1024 * 1024,
  maxBytes: 256 * 1024,
  formats: contractFormats,
};

/** @param exif - EXIF blocks of the file. Null if no block has a thumbnail that can be decoded. Never throws. */
async function readThumbnail(exif: readonly Uint8Array[]): Promise<LumaPlane | null> {
  const { thumbnail } = readExifClues(exif);
  if (thumbnail === null) return null;
  try {
    const opened = openContainer(thumbnail, limits);
    const { pixels } = await decodePixels(thumbnail, { ...opened, orientation: 1 });
    return { width: pixels.width, height: pixels.height, luma: toLuma(toRgb(pixels).rgb) };
  } catch {
    return null;
  }
}

// Decodes the pixels of each format, and determines how many of them are intact. Runs only in the sandbox.

interface DecodedPixels {
  readonly pixels: RawPixels;
  readonly notes: readonly PictureNote[];
  /** Share of the rows, from the top, that decode as stored: 0.9..1. */
  readonly soundShare: number;
}

/** Minimum share of intact rows; with less, a damaged picture is rejected. */
const minSoundShare = 0.9;

interface Opened {
  readonly format: Format;
  readonly file: FileFacts;
  /** 1..8, from the container or from EXIF. */
  readonly orientation: number;
}

/** @throws {ForensicsError} `image_unreadable` if the data is damaged or contradicts its header; `image_not_supported`. */
async function decodePixels(bytes: Uint8Array, opened: Opened): Promise<DecodedPixels> {
  try {
    return await decode(bytes, opened);
  } catch (error) {
    throw error instanceof ForensicsError ? error : failure('not_decodable', {}, { cause: error });
  }
}

async function decode(bytes: Uint8Array, { format, file, orientation }: Opened) {
  const { width, height, channels, colourSpace, ownOrientation, pixelBytes } = file;
  const isTurned = ownOrientation !== null && isQuarterTurn(orientation);
  const request: PixelRequest = {
    bytes: pixelBytes ?? (format === 'avif' ? asStillPicture(bytes) : bytes),
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    // If the format states its own orientation, its decoder has already applied it.
    orientation: ownOrientation === null ? orientation : 1,
    isCmyk: colourSpace === 'CMYK' || colourSpace === 'YCCK',
  };
  if (format === 'jpg' || format === 'raw') return decodeJpeg(request, file);
  if (format === 'png') return decodePng(request, file);
  // The OpenJPEG binding can read only one component or three.
  if (format === 'jp2' && channels !== 1 && channels !== 3) {
    throw failure('rare_kind', { format: formatNames[format] });
  }
  const decodeOwn = decoders[format];
  if (decodeOwn === undefined) return allSound((await decodeWithSharp(request, 'error')).pixels);
  const pixels = await decodeOwn(bytes);
  if (pixels.width !== request.width || pixels.height !== request.height)
    throw new Error('The decoded size differs from the size in the header.');
  return allSound(pixels);
}

/** libvips refuses the brand of a sequence, although it can show the first picture. */
function asStillPicture(bytes: Uint8Array): Uint8Array {
  if (ascii(bytes, 8, 4) !== 'avis') return bytes;
  const still = Buffer.from(bytes);
  still.write('avif', 8, 'latin1');
  return still;
}

/** Decoders for formats that this build of libvips does not read. */
const decoders: Partial<Record<Format, (bytes: Uint8Array) => RawPixels | Promise<RawPixels>>> = {
  heic: decodeHeic,
  bmp: decodeBmp,
  jp2: decodeJpeg2000,
  jxl: decodeJpegXl,
};

function allSound(pixels: RawPixels, notes: readonly PictureNote[] = []): DecodedPixels {
  return { pixels, notes, soundShare: 1 };
}

async function decodeJpeg(request: PixelRequest, file: FileFacts) {
  const hasEnd = !file.notes.includes('end_marker_missing');
  try {
    const { pixels, warnings } = await decodeWithSharp(request, 'warning');
    // A warning about the last rows stops nothing, and arithmetic codes never cause one.
    const isChecked =
      file.jpeg?.arithmetic !== true || (hasEnd && startOfRun(request.bytes) === null);
    if (!warnings.some((one) => one.includes('Corrupt JPEG')) && isChecked) return allSound(pixels);
  } catch (error) {
    if (error instanceof Error && isPadding(error.message, request.bytes)) {
      // The first warning stopped decoding but was harmless, so decode again and ignore it.
      const again = await decodeWithSharp(request, 'error').catch(() => null);
      // libjpeg reports the first warning, and libvips how many there were.
      const isOnly = again?.warnings.some((one) => /read gave 1 warnings/.test(one));
      if (again && isOnly) return allSound(again.pixels, ['stray_bytes']);
    }
  }
  return decodeDamaged('jpg', request, file, await soundRowsOfJpeg(request, hasEnd));
}

/** Whether libjpeg skipped only bytes that nothing needs: between segments, or one value repeated after a scan. */
function isPadding(warning: string, bytes: Uint8Array): boolean {
  const [, count = '', code = ''] =
    /(\d+) extraneous bytes before marker 0x([\da-f]+)/.exec(warning) ?? [];
  const { segments } = readJpeg(bytes);
  return segments.some(({ marker, offset }, at) => {
    if (marker !== Number.parseInt(code, 16)) return false;
    const before = segments[at - 1]!;
    const skipped = bytes.subarray(Math.max(before.end, offset - Number(count)), offset);
    return before.marker !== markers.sos || skipped.every((byte) => byte === skipped[0]);
  });
}

async function decodePng(request: PixelRequest, file: FileFacts) {
  try {
    return allSound((await decodeWithSharp(request, 'warning')).pixels);
  } catch {
    return decodeDamaged('png', request, file, (await file.countSoundRows?.()) ?? 0);
  }
}

/** Decodes the picture as viewers show it: missing parts are grey in a JPEG and black in a PNG. */
async function decodeDamaged(
  format: 'jpg' | 'png',
  request: PixelRequest,
  { notes }: FileFacts,
  soundRows: number,
): Promise<DecodedPixels> {
  if (soundRows === 0) {
    throw notes.includes('end_marker_missing')
      ? failure('cut_off', { format: formatNames[format] })
      : failure('not_decodable', {});
  }
  const soundShare = Math.floor((1000 * soundRows) / request.height) / 1000;
  if (soundShare < minSoundShare) {
    const percent = Math.floor(100 * soundShare);
    throw failure('rows_missing', { format: formatNames[format], percent });
  }
  const { pixels } = await decodeWithSharp(request, 'none');
  return { pixels, notes: soundShare < 1 ? ['rows_missing'] : ['stray_bytes'], soundShare };
}

/** The position of the damage is determined to within this many bytes, which is a block or two. */
const precisionBytes = 16;

/**
 * Number of intact rows of a damaged JPEG, from the top. Instead of reimplementing the decoder,
 * this changes bytes and compares the decoded results. 0 if the damage is in an earlier scan, or if
 * later scans are missing, because then no row is complete; also if the damage could be anywhere.
 *
 * @param request - with bytes as in `FileFacts.pixelBytes`.
 * @param hasEnd - false if the file was cut off, so that its data ends where the damage starts.
 */
async function soundRowsOfJpeg(request: PixelRequest, hasEnd: boolean): Promise<number> {
  const stored = { ...request, orientation: 1 };
  const file = readJpeg(request.bytes);
  const scan = file.segments.findLast(({ marker }) => marker === markers.sos);
  if (scan === undefined || !holdsEveryScan(file)) return 0;
  const cutAt = async (length: number, filler: Uint8Array) => {
    const bytes = Buffer.concat([request.bytes.subarray(0, length), filler, endOfImage]);
    return decodeWithSharp({ ...stored, bytes }, 'none');
  };
  const isSoundUpTo = async (length: number) =>
    (await cutAt(length, nothing)).warnings.every((warning) => !isBadCode(warning));
  const lost = startOfRun(request.bytes.subarray(scan.end));
  let [sound, unsound] = [
    scan.end,
    lost === null ? file.endOffset - endOfImage.length : scan.end + lost,
  ];
  if (await isSoundUpTo(unsound)) {
    // Wrong bytes often decode without an error, and only their number does not fit.
    if (hasEnd && lost === null) return 0;
    sound = unsound;
  } else if (!(await isSoundUpTo(sound))) return 0;
  while (unsound - sound > precisionBytes) {
    const middle = (sound + unsound) >> 1;
    // oxlint-disable-next-line no-await-in-loop -- each step depends on the previous one
    if (await isSoundUpTo(middle)) sound = middle;
    else unsound = middle;
  }
  // Where the data ends, the decoder continues with zeros or what follows: rows equal in both are intact.
  const ended = await cutAt(sound, nothing);
  const continued = await cutAt(sound, noise);
  const { width, height, channels, data } = ended.pixels;
  const at = data.findIndex((value, index) => value !== continued.pixels.data[index]);
  if (at >= 0) return Math.floor(at / (width * channels));
  // Between two restart intervals the decoder skips whatever it does not expect, so nothing can be compared.
  return file.structure.restartInterval > 0 ? 0 : height;
}

/** Where at least this many equal bytes start, as in a block that a disk or a transfer lost; null if there are none. */
const runBytes = 128;

function startOfRun(bytes: Uint8Array): number | null {
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== bytes[start]) start = at;
    else if (at - start + 1 === runBytes) return start;
  }
  return null;
}

const nothing = new Uint8Array();
/** By multiplicative hashing; never 0xff. */
const noise = Uint8Array.from(
  { length: 4096 },
  (_, i) => (Math.imul(i + 1, 2654435761) >>> 24) & 0xfe,
);

/** Whether the warning is about invalid data; others are about truncated data, which is expected after cutting. */
function isBadCode(warning: string): boolean {
  if (warning.includes('marker 0xd9')) return false;
  return /bad (?:Huffman|arithmetic) code|instead of RST|before marker 0xd[0-7]/.test(warning);
}

// Reads text hidden in the lowest bits of the pixels, where NovelAI and an extension of Stable Diffusion web UI store
// settings: by column, a signature, the number of bits, and the text, plain or gzipped. Lossy saving destroys it.

const signatureBytes = 15;
const maxTextBytes = 1_000_000;

/** Whether the text is in the alpha channel (`png`) or in the colours, and whether it is plain (`info`) or compressed. */
const signature = /^stealth_(png|rgb)(info|comp)$/;

/** Null if there is no signature, or if the bits after it are not text. */
function readStealthText(pixels: RawPixels): MetadataText | null {
  for (const channels of pixels.channels === 4 ? [[3], [0, 1, 2]] : [[0, 1, 2]]) {
    const read = bytesOf(pixels, channels);
    const keyword = String.fromCharCode(...read(0, signatureBytes));
    const [, place, form] = signature.exec(keyword) ?? [];
    if (place !== (channels.length === 1 ? 'png' : 'rgb')) continue;
    const length = Buffer.from(read(signatureBytes, 4)).readUInt32BE(0) >> 3;
    const bytes = read(signatureBytes + 4, Math.min(length, maxTextBytes));
    const text = form === 'comp' ? unpack(bytes) : decodeText(bytes);
    return text === null ? null : { place: 'pixels', keyword, text };
  }
  return null;
}

/** Reads bytes from the lowest bits of these channels, the most significant bit first; zeros beyond the picture. */
function bytesOf({ data, channels, width, height }: RawPixels, used: readonly number[]) {
  const bitAt = (index: number): number => {
    const pixel = Math.floor(index / used.length);
    const [x, y] = [Math.floor(pixel / height), pixel % height];
    const sample = (y * width + x) * channels + used[index % used.length]!;
    return x < width ? data[sample]! & 1 : 0;
  };
  return (start: number, count: number): Uint8Array =>
    Uint8Array.from({ length: count }, (_, i) => {
      let byte = 0;
      for (let bit = 0; bit < 8; bit++) byte = (byte << 1) | bitAt(8 * (start + i) + bit);
      return byte;
    });
}

function unpack(bytes: Uint8Array): string | null {
  try {
    return decodeText(gunzipSync(bytes, { maxOutputLength: maxTextBytes }));
  } catch {
    return null;
  }
}
