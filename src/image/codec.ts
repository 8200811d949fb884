/**
 * The only way foreign bytes reach sharp. A decoder sees nothing but the segments or chunks that pixels need: no
 * metadata, no colour profile (but of CMYK), no trailing bytes, so that none of it can steer or break the decoding.
 */

import sharp from 'sharp';
import { ForensicsError } from '../errors.ts';
import { isQuarterTurn } from './orientation.ts';
import { turnUpright } from './turn.ts';

export interface PixelRequest {
  readonly bytes: Uint8Array;
  /** Size in pixels as the file's header states it. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation 1..8 to be undone. */
  readonly orientation: number;
  /** True to apply the profile inside the bytes, or a built-in one: only ever for CMYK, which has no RGB otherwise. */
  readonly isCmyk: boolean;
}

export interface RawPixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Row-major samples, 8 bits each. */
  readonly data: Uint8Array;
}

/** @throws {ForensicsError} `image_unreadable` when the data is truncated, damaged or not what its header states. */
export async function decodePixels(request: PixelRequest): Promise<RawPixels> {
  try {
    return await decodeStrictly(request, 'warning');
  } catch (error) {
    if (!(error instanceof Error && isHarmless(error.message))) throw unreadable(error);
  }
  // The first warning stopped the decoding, and it was harmless; once more, past it.
  return decodeStrictly(request, 'error').catch((error: unknown) => {
    throw unreadable(error);
  });
}

async function decodeStrictly(
  { bytes, width, height, orientation, isCmyk }: PixelRequest,
  failOn: 'warning' | 'error',
): Promise<RawPixels> {
  openCodec();
  const picture = sharp(bytes, { failOn, limitInputPixels: width * height, ignoreIcc: !isCmyk });
  const warnings: string[] = [];
  picture.on('warning', (warning: string) => warnings.push(warning));
  const { data, info } = await turnUpright(picture, orientation)
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const damage = warnings.find((warning) => warning.includes('Corrupt') && !isHarmless(warning));
  if (damage !== undefined) throw new Error(damage);
  const [expectedWidth, expectedHeight] = isQuarterTurn(orientation)
    ? [height, width]
    : [width, height];
  if (info.width !== expectedWidth || info.height !== expectedHeight) {
    throw new Error('The decoded size is not the size of the header.');
  }
  return {
    width: info.width,
    height: info.height,
    channels: info.channels,
    data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
}

/**
 * True for libjpeg's warnings about padding between a scan and the next marker: it is passed over and no pixel lost.
 * All others, such as "premature end of data segment" and "bad Huffman code", tell of pixels that are guessed.
 */
function isHarmless(message: string): boolean {
  const warnings = message.split('\n').filter((line) => line.trim() !== '');
  return warnings.every((line) => line.includes('extraneous bytes before marker'));
}

/** Versions of the libraries that decode: other versions may round pixels differently. */
export function codecVersions(): { readonly sharp: string; readonly libvips: string } {
  return { sharp: sharp.versions.sharp, libvips: sharp.versions.vips };
}

let isOpen = false;

/** One thread a picture, because the pool runs a process a core; no cache; no loader but the two. */
export function openCodec(): void {
  if (isOpen) return;
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  isOpen = true;
}

function unreadable(cause: unknown): ForensicsError {
  return new ForensicsError(
    'image_unreadable',
    'The picture is incomplete or damaged and could not be decoded. Copy or download it again.',
    { cause },
  );
}
