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
import type { JpegStructure } from './jpeg-structure.ts';
import type { MetadataText } from './metadata-blocks.ts';
import type { Metadata } from './metadata.ts';

const formats = ['jpg', 'png'] as const;
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
  /** True when the file can hold transparency; a note reports whether a pixel made use of it. */
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
}

const bytesPerMegabyte = 1_000_000;

/** Those of the service, where no setting overrides them. */
export const defaultLimits: Limits = {
  minSidePx,
  maxSidePx,
  maxPixels: maxSidePx * maxSidePx,
  maxBytes: maxUploadBytes,
};

/** Those of a person with a machine to themselves: what one child can read within its memory. */
export const localLimits: Limits = {
  minSidePx,
  maxSidePx: sidesOfEverything.local,
  maxPixels: 100_000_000,
  maxBytes: 250_000_000,
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
  };
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

// Identifies a file by its content; its name and declared type are never trusted.

const formatNames = { jpg: 'JPEG', png: 'PNG' } as const satisfies Record<Format, string>;

/** What a file is when it is not a picture that can be examined; the wording fits "This is ...". */
export type ForeignKind = keyof typeof foreignKinds;
const foreignKinds = {
  empty: 'an empty file',
  gif: 'a GIF picture',
  webp: 'a WebP picture',
  tiff: 'a TIFF picture or a camera raw file',
  heic: 'a HEIC picture',
  avif: 'an AVIF picture',
  jxl: 'a JPEG XL picture',
  jp2: 'a JPEG 2000 picture',
  bmp: 'a BMP picture',
  psd: 'a Photoshop document',
  svg: 'an SVG drawing',
  pdf: 'a PDF document',
  video: 'a video',
  html: 'a web page',
  zip: 'a ZIP archive or an office document',
  gzip: 'a gzip archive',
  text: 'a text file',
  unknown: 'a file of an unknown kind',
} as const;

/** The format that the bytes begin as, or null when it is neither JPEG nor PNG. Nothing behind the signature is checked. */
export function sniffFormat(bytes: Uint8Array): Format | null {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpg';
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  return null;
}

/** `JPEG`, `PNG`, `a WebP picture`, ...: what the file is, in words for a message. */
export function describeContent(bytes: Uint8Array): string {
  const format = sniffFormat(bytes);
  return format === null ? foreignKinds[sniffForeign(bytes)] : formatNames[format];
}

/** True when a picture, though in another format, could be converted to one that can be examined. */
export function isForeignPicture(bytes: Uint8Array): boolean {
  const pictures: readonly ForeignKind[] = [
    ...(['gif', 'webp', 'tiff', 'heic', 'avif'] as const),
    ...(['jxl', 'jp2', 'bmp', 'psd', 'svg'] as const),
  ];
  return pictures.includes(sniffForeign(bytes));
}

/** `image.PNG` -> `png`; null for a name without a file extension that names a kind of picture. */
export function formatOfName(name: string): string | null {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase();
  return extension === undefined ? null : (formatsByExtension.get(extension) ?? null);
}

const formatsByExtension: ReadonlyMap<string, string> = new Map([
  ...(['jpg', 'jpeg', 'jpe', 'jfif'] as const).map((extension) => [extension, 'jpg'] as const),
  ...(['png', 'apng'] as const).map((extension) => [extension, 'png'] as const),
  ...(
    ['gif', 'webp', 'tif', 'tiff', 'heic', 'heif', 'avif', 'jxl', 'jp2', 'bmp', 'psd'] as const
  ).map((extension) => [extension, extension] as const),
]);

export function sniffForeign(bytes: Uint8Array): ForeignKind {
  if (bytes.length === 0) return 'empty';
  const binary = binarySignatures.find(
    ([, offset, text]) => ascii(bytes, offset, text.length) === text,
  );
  if (binary !== undefined) return binary[0];
  if (ascii(bytes, 4, 4) === 'ftyp') return kindOfBrand(ascii(bytes, 8, 4));
  return sniffText(bytes);
}

/** Kind, offset, and the bytes there as Latin-1. */
const binarySignatures: readonly (readonly [ForeignKind, number, string])[] = [
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['tiff', 0, 'II*\0'],
  ['tiff', 0, 'MM\0*'],
  ['jxl', 0, '\0\0\0\x0cJXL '],
  ['jxl', 0, '\xff\x0a'],
  ['jp2', 0, '\0\0\0\x0cjP  '],
  ['bmp', 0, 'BM'],
  ['psd', 0, '8BPS'],
  ['pdf', 0, '%PDF-'],
  ['video', 0, '\x1aE\xdf\xa3'],
  ['video', 8, 'AVI '],
  ['zip', 0, 'PK\x03\x04'],
  ['gzip', 0, '\x1f\x8b'],
];

/** ISO base media files name their kind in the first brand (ISO/IEC 14496-12, 23008-12). */
function kindOfBrand(brand: string): ForeignKind {
  if (brand.startsWith('avi')) return 'avif';
  const isHeif = /^(?:hei|hev|mif1|msf1)/.test(brand);
  return isHeif ? 'heic' : 'video';
}

function sniffText(bytes: Uint8Array): ForeignKind {
  const head = bytes.subarray(0, 1024);
  // A byte that no text in UTF-8 or an 8-bit code holds.
  const isBinary = head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
  if (isBinary) return 'unknown';
  const text = ascii(head, 0, head.length).toLowerCase();
  if (/<svg[\s>]/.test(text)) return 'svg';
  if (/^[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|body)/.test(text)) return 'html';
  return 'text';
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function ascii(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}
