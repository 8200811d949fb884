/** Says what a file is by its content; the name and the declared type are never believed. */

import type { Format } from './picture.ts';

const formatNames = { jpg: 'JPEG', png: 'PNG' } as const satisfies Record<Format, string>;

/** What a file is when it is not a picture that can be examined; the wording fits "This is ...". */
type ForeignKind = keyof typeof foreignKinds;
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

function sniffForeign(bytes: Uint8Array): ForeignKind {
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
