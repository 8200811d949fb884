/**
 * What the image room hands to everybody else: a picture, decoded once, with the facts of its file. It knows bytes,
 * pixels and file structure; it knows nothing of models, verdicts or people.
 */

import type { JpegStructure } from './jpeg-structure.ts';
import type { Metadata } from './metadata.ts';
import type { Thumbnail } from './thumbnail.ts';

export const formats = ['jpg', 'png'] as const;
export type Format = (typeof formats)[number];

/** What had to be done to reach 8-bit RGB, each a thing the examiner should know. */
export const pictureNotes = [
  'converted_from_cmyk',
  'converted_from_grey',
  'reduced_from_16_bit',
  'transparency_flattened_on_white',
  'first_frame_of_animation',
  'rotated_by_exif',
  'extension_disagrees',
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
  /** As stored: 8 for JPEG; 1, 2, 4, 8 or 16 for PNG, of a palette the bits of an index. */
  readonly bitsPerSample: number;
  /** Stored samples a pixel, transparency included; of a palette those of its colours. */
  readonly channels: number;
  /** `grey`, `YCbCr`, `RGB`, `CMYK` or `YCCK` for JPEG; `grey`, `RGB` or `palette` for PNG. */
  readonly colourSpace: string;
  /** True when the file can hold transparency; a note tells whether a pixel made use of it. */
  readonly hasAlpha: boolean;
  /** Name of the embedded colour profile. It is applied to CMYK alone. */
  readonly iccProfile: string | null;
  readonly notes: readonly PictureNote[];
  /** Null for PNG. */
  readonly jpeg: JpegStructure | null;
  readonly metadata: Metadata;
}

export interface Picture {
  readonly facts: PictureFacts;
  /** Row-major RGB, 8 bits a sample, upright, `3 * width * height` bytes. Never changed by a reader. */
  readonly rgb: Uint8Array;
  /** Row-major luma, `width * height` samples, 0..255: 0.299 R + 0.587 G + 0.114 B, rounded (ITU-R BT.601, as JFIF uses it). */
  readonly luma: Uint8Array;
  /** What EXIF keeps beside it; absent where that cannot be decoded, and where there is none. */
  readonly thumbnail?: Thumbnail;
}
