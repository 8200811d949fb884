/**
 * What the image room hands to everybody else: a picture, decoded once, with the facts of its file. It knows bytes,
 * pixels and file structure; it knows nothing of models, verdicts or people.
 */

import {
  type Intake,
  maxSidePx,
  maxUploadBytes,
  minSidePx,
  sidesOfEverything,
} from '../contract/limits.ts';
import { failure } from '../contract/failure-reasons.ts';
import { contractFormats, type Format, formats } from '../contract/formats.ts';
import type { JpegStructure } from './jpeg-structure.ts';
import type { MetadataText } from './metadata-blocks.ts';
import type { Metadata } from './metadata.ts';

/**
 * What had to be done to reach 8-bit RGB, and what is odd about the file although every viewer shows it: each a thing the
 * examiner should know.
 */
export const pictureNotes = [
  'converted_from_cmyk',
  'converted_from_grey',
  'reduced_from_16_bit',
  'reduced_to_8_bit',
  'transparency_flattened_on_white',
  'first_frame_of_animation',
  'first_page',
  'main_picture',
  'jpeg_of_raw',
  'rotated_by_exif',
  'rotated_by_container',
  'extension_disagrees',
  'end_marker_missing',
  'rows_missing',
  'stray_bytes',
  'scan_parameters',
  'jfif_version',
  'adobe_transform',
  'checksum_wrong',
  'chunk_ignored',
] as const;
export type PictureNote = (typeof pictureNotes)[number];

/** Facts of the file, small enough to be stored and sent between processes. */
export interface PictureFacts {
  readonly format: Format;
  readonly sizeBytes: number;
  /** Lower-case hex digests of the file's bytes. MD5 identifies only; it proves nothing. */
  readonly sha256: string;
  readonly sha512: string;
  readonly md5: string;
  /** Pixels as a viewer shows them: after EXIF orientation. */
  readonly width: number;
  readonly height: number;
  /** Pixels as they are stored in the file: before EXIF orientation. */
  readonly storedWidth: number;
  readonly storedHeight: number;
  /** EXIF orientation 1..8; 1 when absent. */
  readonly orientation: number;
  /** As stored: 8 for JPEG; 1, 2, 4, 8 or 16 for PNG, of a palette the bits of an index; 10 and 12 for HEIC and AVIF, too. */
  readonly bitsPerSample: number;
  /** Stored samples a pixel, transparency included; of a palette those of its colours. */
  readonly channels: number;
  /** `grey`, `YCbCr`, `RGB`, `CMYK`, `YCCK`, `palette`, `Lab` or `other`. */
  readonly colourSpace: string;
  /** True when the file can hold transparency; a note reports whether a pixel made use of it. */
  readonly hasAlpha: boolean;
  /** Name of the embedded colour profile. It is applied to CMYK alone. */
  readonly iccProfile: string | null;
  readonly notes: readonly PictureNote[];
  /** Share of the rows, from the top, that the file holds undamaged, 0.9..1; left out where all are there. */
  readonly soundShare?: number;
  /** Of a JPEG, and of the one inside a camera raw file; null for all others. */
  readonly jpeg: JpegStructure | null;
  readonly metadata: Metadata;
}

export interface Picture {
  readonly facts: PictureFacts;
  /** Row-major RGB, 8 bits a sample, upright, `3 * width * height` bytes. Never changed by a reader. */
  readonly rgb: Uint8Array;
  /** Row-major luma, `width * height` samples, 0..255: 0.299 R + 0.587 G + 0.114 B, rounded (ITU-R BT.601, as JFIF uses it). */
  readonly luma: Uint8Array;
  /**
   * Further EXIF content, as it is stored: EXIF orientation is about the picture, and cameras turn their thumbnails or leave
   * them. Absent where it cannot be decoded, and where there is none.
   */
  readonly thumbnail?: {
    readonly width: number;
    readonly height: number;
    /** Row-major luma, 0..255. */
    readonly luma: Uint8Array;
  };
  /** Text in the lowest bits of the pixels, where there is one. */
  readonly hiddenText?: MetadataText;
}

/** How large a picture and its file may be. */
export interface Limits {
  /** Smallest and largest width and height in pixels, both allowed themselves. */
  readonly minSidePx: number;
  readonly maxSidePx: number;
  /** Largest width times height, allowed itself. */
  readonly maxPixels: number;
  /** Largest file in bytes, allowed itself. */
  readonly maxBytes: number;
  readonly formats: readonly Format[];
}

const bytesPerMegabyte = 1_000_000;

/** Those of the service, where no setting overrides them. */
export const defaultLimits: Limits = {
  minSidePx,
  maxSidePx,
  maxPixels: maxSidePx * maxSidePx,
  maxBytes: maxUploadBytes,
  formats: contractFormats,
};

/** Those of a person with a machine to themselves: what one child can read within its memory. */
export const localLimits: Limits = {
  minSidePx,
  maxSidePx: sidesOfEverything.local,
  maxPixels: 100_000_000,
  maxBytes: 250_000_000,
  formats,
};

/** Of a service with these settings. */
export function serviceLimits(settings: {
  readonly intake: Intake;
  readonly maxUploadBytes: number;
}): Limits {
  const { intake, maxUploadBytes: maxBytes } = settings;
  const side = intake === 'contract' ? maxSidePx : sidesOfEverything.server;
  return {
    minSidePx,
    maxSidePx: side,
    maxPixels: Math.min(side * side, localLimits.maxPixels),
    maxBytes,
    formats: intake === 'contract' ? contractFormats : formats,
  };
}

/** Of what such a service has taken already: its setting may have been another one then. */
export function limitsOfTaken(settings: { readonly maxUploadBytes: number }): Limits {
  return serviceLimits({ ...settings, intake: 'everything' });
}

/** @throws {ForensicsError} `image_empty`, `image_too_many_bytes`. */
export function checkSizeBytes(sizeBytes: number, limits: Limits): void {
  if (sizeBytes === 0) {
    throw failure('empty', {});
  }
  if (sizeBytes > limits.maxBytes) {
    const values = { megabytes: inMegabytes(sizeBytes), limit: inMegabytes(limits.maxBytes) };
    throw failure('too_many_bytes', values);
  }
}

/** @throws {ForensicsError} `image_too_small`, `image_too_large`. */
export function checkDimensions(width: number, height: number, limits: Limits): void {
  const { minSidePx: least, maxSidePx: most, maxPixels } = limits;
  const range = { width, height, least, most };
  if (width < least || height < least) throw failure('side_too_short', range);
  if (width > most || height > most) throw failure('side_too_long', range);
  if (width * height > maxPixels) {
    throw failure('too_many_pixels', { width, height, megapixels: maxPixels / 1e6 });
  }
}

/** Rounded up, so that a file just above the limit is not reported with the limit's size. */
function inMegabytes(sizeBytes: number): number {
  return Math.ceil((sizeBytes / bytesPerMegabyte) * 10) / 10;
}
