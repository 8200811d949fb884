/** A picture, decoded once, with the facts of its file. Knows bytes and pixels, but no models, verdicts or people. */

import type { PictureLimits } from '../contract/auth.ts';
import {
  type Intake,
  maxPixels,
  maxSidePx,
  maxUploadBytes,
  minSidePx,
  sidesOfEverything,
} from '../contract/limits.ts';
import { contractFormats, type Format, formats } from '../contract/vocabulary.ts';
import type { FileTexts } from './file-texts.ts';
import type { JpegStructure } from './jpeg-structure.ts';
import type { FileClues, MetadataText } from './metadata-blocks.ts';
import type { Metadata } from './metadata.ts';
import type { LumaPlane } from './pixels.ts';

/** A file, with its path encoded as in `byte-names.ts`, or bytes, with the name of their file. */
export type PictureSource =
  | { readonly path: string }
  | { readonly bytes: Uint8Array; readonly name?: string };

/** How the pixels were converted to 8-bit RGB, and anything unusual about the file, even if viewers display it. */
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

/** What the structure of a file says about its pixels. */
export interface StoredFacts {
  /** As stored: 8 for JPEG; 1 to 16 for PNG (for a palette, bits of the index); also 10, 12 for HEIC and AVIF. */
  readonly bitsPerSample: number;
  /** Number of samples per pixel as stored, including transparency; with a palette, those of its colours. */
  readonly channels: number;
  /** `grey`, `YCbCr`, `RGB`, `CMYK`, `YCCK`, `palette`, `Lab` or `other`. */
  readonly colourSpace: string;
  /** Whether the file can contain transparency; if any pixel is transparent, a note says so. */
  readonly hasAlpha: boolean;
  /** Name of the embedded colour profile; only for CMYK is it applied. */
  readonly iccProfile: string | null;
  readonly notes: readonly PictureNote[];
  /** For a JPEG, or for the JPEG inside a camera raw file; null for all other formats. */
  readonly jpeg: JpegStructure | null;
}

/** Facts of the file, small enough to be stored and sent between processes. */
export interface PictureFacts extends StoredFacts {
  readonly format: Format;
  readonly sizeBytes: number;
  /** Lower-case hex digests of the file's bytes. MD5 only identifies a file; it proves nothing. */
  readonly sha256: string;
  readonly sha512: string;
  readonly md5: string;
  /** Size in pixels as displayed, after EXIF orientation. */
  readonly width: number;
  readonly height: number;
  /** Size in pixels as stored in the file, before EXIF orientation. */
  readonly storedWidth: number;
  readonly storedHeight: number;
  /** EXIF orientation 1..8; 1 when absent. */
  readonly orientation: number;
  /** Share of the rows, from the top, that are undamaged: 0.9..1; absent if all are. */
  readonly soundShare?: number;
  readonly metadata: Metadata;
}

export interface Picture {
  readonly facts: PictureFacts;
  /** Row-major RGB, 8 bits per sample, upright, `3 * width * height` bytes. Never modified by readers. */
  readonly rgb: Uint8Array;
  readonly luma: Uint8Array;
  /** The EXIF thumbnail as stored, which cameras may or may not have rotated; absent if it cannot be decoded. */
  readonly thumbnail?: LumaPlane;
  /** What the file contains besides the picture, for `readProvenance`. */
  readonly clues: FileClues & { readonly texts: FileTexts };
  /** Text hidden in the lowest bits of the pixels, if any. */
  readonly hiddenText?: MetadataText;
}

/** Limits for a picture and its file; all of them are inclusive. */
export type Limits = PictureLimits;

/** Limits of the service unless a setting changes them. */
export const defaultLimits: Limits = {
  minSidePx,
  maxSidePx,
  maxPixels: maxSidePx * maxSidePx,
  maxBytes: maxUploadBytes,
  formats: contractFormats,
};

/** Limits on a user's own machine: what one child process can read within its memory. */
export const localLimits: Limits = {
  minSidePx,
  maxSidePx: sidesOfEverything.local,
  maxPixels,
  maxBytes: 250_000_000,
  formats,
};

export function serviceLimits(settings: {
  readonly intake: Intake;
  readonly maxUploadBytes: number;
}): Limits {
  const { intake, maxUploadBytes: maxBytes } = settings;
  const side = intake === 'contract' ? maxSidePx : sidesOfEverything.server;
  return {
    minSidePx,
    maxSidePx: side,
    maxPixels: Math.min(side * side, maxPixels),
    maxBytes,
    formats: intake === 'contract' ? contractFormats : formats,
  };
}

/** Limits for pictures that a service accepted earlier, perhaps under a different setting. */
export function limitsForAccepted(settings: { readonly maxUploadBytes: number }): Limits {
  return serviceLimits({ ...settings, intake: 'everything' });
}
