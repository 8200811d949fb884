/** Decodes the pixels of each format and determines how many of them are intact. Runs only in the sandbox. */

import { type Format, formatNames } from '../contract/formats.ts';
import { failure } from '../contract/failure-reasons.ts';
import { ForensicsError } from '../errors.ts';
import { decodeBmp } from './bmp.ts';
import { decodeWithSharp, type PixelRequest } from './codec.ts';
import type { RawPixels } from './pixels.ts';
import type { Container } from './container.ts';
import { isQuarterTurn } from './orientation.ts';
import type { PictureNote } from './picture.ts';
import { soundRowsOfJpeg } from './sound-jpeg.ts';
import { soundRowsOfPng } from './sound-png.ts';
import { decodeHeic, decodeJpeg2000, decodeJpegXl } from './wasm-decoders.ts';

export interface DecodedPixels {
  /** The pixels, upright. */
  readonly pixels: RawPixels;
  readonly notes: readonly PictureNote[];
  /** Share of the rows, from the top, that decode as stored: 0.9..1. */
  readonly soundShare: number;
}

/** Minimum share of intact rows for a damaged picture to be accepted. */
const minSoundShare = 0.9;

/**
 * @param orientation - 1..8, from the container or from EXIF.
 * @throws {ForensicsError} `image_unreadable` when the data is damaged or contradicts its header; `image_not_supported`.
 */
export async function decodePixels(
  format: Format,
  container: Container,
  orientation: number,
): Promise<DecodedPixels> {
  try {
    return await decode(format, container, orientation);
  } catch (error) {
    throw error instanceof ForensicsError ? error : failure('not_decodable', {}, { cause: error });
  }
}

async function decode(
  format: Format,
  container: Container,
  orientation: number,
): Promise<DecodedPixels> {
  const { facts, ownOrientation, pixelBytes } = container;
  const { storedWidth, storedHeight, colourSpace } = facts;
  const isTurned = ownOrientation !== null && isQuarterTurn(orientation);
  const request: PixelRequest = {
    bytes: pixelBytes,
    width: isTurned ? storedHeight : storedWidth,
    height: isTurned ? storedWidth : storedHeight,
    // A decoder that knows its format's orientation has already applied it.
    orientation: ownOrientation === null ? orientation : 1,
    isCmyk: colourSpace === 'CMYK' || colourSpace === 'YCCK',
  };
  if (format === 'jpg' || format === 'raw') return decodeJpeg(request, container);
  if (format === 'png') return decodePng(request, container);
  // The OpenJPEG binding reads either one component or three.
  if (format === 'jp2' && facts.channels !== 1 && facts.channels !== 3) {
    throw failure('rare_kind', { format: formatNames[format] });
  }
  if (!hasOwnDecoder(format)) return allSound((await decodeWithSharp(request, 'error')).pixels);
  const pixels = await decoders[format](pixelBytes);
  if (pixels.width !== request.width || pixels.height !== request.height)
    throw new Error('The decoded size is not the size of the header.');
  return allSound(pixels);
}

/** Decoders for formats that this build of libvips does not read. */
const decoders = {
  heic: decodeHeic,
  bmp: decodeBmp,
  jp2: decodeJpeg2000,
  jxl: decodeJpegXl,
} as const;

function hasOwnDecoder(format: Format): format is keyof typeof decoders {
  return Object.hasOwn(decoders, format);
}

function allSound(pixels: RawPixels, notes: readonly PictureNote[] = []): DecodedPixels {
  return { pixels, notes, soundShare: 1 };
}

async function decodeJpeg(request: PixelRequest, container: Container): Promise<DecodedPixels> {
  try {
    return allSound((await decodeWithSharp(request, 'warning')).pixels);
  } catch (error) {
    if (error instanceof Error && isHarmless(error.message)) {
      // The first warning stopped decoding but was harmless: decode again and ignore it.
      const again = await decodeWithSharp(request, 'error').catch(() => null);
      const isWhole = again?.warnings.every((one) => !one.includes('Corrupt') || isHarmless(one));
      if (again && isWhole) return allSound(again.pixels, ['stray_bytes']);
    }
  }
  const rows = await soundRowsOfJpeg(request);
  return decodeDamaged('jpg', { request, container }, rows);
}

/**
 * True for libjpeg's warnings about padding between a scan and the next marker: the decoder skips it without losing pixels.
 * All other warnings, such as "premature end of data segment" and "bad Huffman code", mean that pixels are guessed.
 */
function isHarmless(message: string): boolean {
  const warnings = message.split('\n').filter((line) => line.trim() !== '');
  return warnings.every((line) => line.includes('extraneous bytes before marker'));
}

async function decodePng(request: PixelRequest, container: Container): Promise<DecodedPixels> {
  try {
    return allSound((await decodeWithSharp(request, 'warning')).pixels);
  } catch {
    const rows = container.png === undefined ? 0 : await soundRowsOfPng(container.png);
    return decodeDamaged('png', { request, container }, rows);
  }
}

/** Shows the picture as viewers do: missing parts are grey in a JPEG and black in a PNG. */
async function decodeDamaged(
  format: 'jpg' | 'png',
  { request, container }: { readonly request: PixelRequest; readonly container: Container },
  soundRows: number,
): Promise<DecodedPixels> {
  if (soundRows === 0) {
    const isCut = container.notes.includes('end_marker_missing');
    throw isCut
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
