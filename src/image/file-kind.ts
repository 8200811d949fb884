/** Identifies a file by its first bytes; its name and declared type are never trusted. */

import { type Format, formatNames } from '../contract/formats.ts';
import { ascii, dataView, startsWith } from './bytes.ts';
import { isRawTiff } from './raw.ts';

/** What a file is if it cannot be examined as a picture; the phrases complete "This is ...". */
const otherKinds = {
  empty: 'an empty file',
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
export type OtherKind = keyof typeof otherKinds;

/** The format that the signature indicates; null if it is not a picture's. Checks nothing but the signature. */
export function sniffFormat(bytes: Uint8Array): Format | null {
  const kind = sniffKind(bytes);
  return isFormat(kind) ? kind : null;
}

/** The kind of a file that cannot be examined; `unknown` for one that can. */
export function sniffOtherKind(bytes: Uint8Array): OtherKind {
  const kind = sniffKind(bytes);
  return isFormat(kind) ? 'unknown' : kind;
}

/** Whether this kind of file is a picture, but one that cannot be examined. */
export function isDrawing(kind: OtherKind): boolean {
  return kind === 'psd' || kind === 'svg';
}

function isFormat(kind: Format | OtherKind): kind is Format {
  return Object.hasOwn(formatNames, kind);
}

/** Describes the file for a message: `a JPEG picture`, `a PDF document`, ... */
export function describeContent(bytes: Uint8Array): string {
  const kind = sniffKind(bytes);
  if (!isFormat(kind)) return otherKinds[kind];
  return `${kind === 'avif' || kind === 'raw' ? 'an' : 'a'} ${formatNames[kind]} picture`;
}

/** The picture format of a file extension, such as `png` for `image.PNG`; null if there is none. */
export function formatOfName(name: string): string | null {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase();
  return extension === undefined ? null : (formatsByExtension.get(extension) ?? null);
}

const extensions: Readonly<Record<Format | 'psd', readonly string[]>> = {
  jpg: ['jpg', 'jpeg', 'jpe', 'jfif', 'mpo'],
  png: ['png', 'apng'],
  webp: ['webp'],
  heic: ['heic', 'heif', 'hif'],
  avif: ['avif'],
  tiff: ['tif', 'tiff'],
  gif: ['gif'],
  bmp: ['bmp', 'dib'],
  jp2: ['jp2', 'j2k', 'jpf', 'jpx', 'j2c'],
  jxl: ['jxl'],
  raw: ['dng', 'cr2', 'cr3', 'nef', 'arw', 'orf', 'rw2', 'raf', 'pef', 'srw'],
  psd: ['psd'],
};
const formatsByExtension: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([format, names]) => names.map((name) => [name, format])),
);

function sniffKind(bytes: Uint8Array): Format | OtherKind {
  if (bytes.length === 0) return 'empty';
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpg';
  const known = signatures.find(([, at, text]) => ascii(bytes, at, text.length) === text);
  if (known?.[0] === 'tiff' && isRawTiff(bytes)) return 'raw';
  if (known !== undefined) return known[0];
  if (ascii(bytes, 4, 4) === 'ftyp') return kindOfBrands(bytes);
  return sniffText(bytes);
}

/** Format, offset of the signature, and the signature as Latin-1. */
const signatures: readonly (readonly [Format | OtherKind, number, string])[] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['tiff', 0, 'II*\0'],
  ['tiff', 0, 'MM\0*'],
  ['raw', 0, 'IIRO'],
  ['raw', 0, 'IIRS'],
  ['raw', 0, 'IIU\0'],
  ['raw', 0, 'FUJIFILMCCD-RAW'],
  ['jxl', 0, '\0\0\0\x0cJXL '],
  ['jxl', 0, '\xff\x0a'],
  ['jp2', 0, '\0\0\0\x0cjP  '],
  ['jp2', 0, '\xff\x4f\xff\x51'],
  ['bmp', 0, 'BM'],
  ['psd', 0, '8BPS'],
  ['pdf', 0, '%PDF-'],
  ['video', 0, '\x1aE\xdf\xa3'],
  ['video', 8, 'AVI '],
  ['video', 0, '\0\0\x01\xba'],
  ['zip', 0, 'PK\x03\x04'],
  ['gzip', 0, '\x1f\x8b'],
];

/** ISO base media files state their kind by brands, starting with the major brand (ISO/IEC 14496-12, 23008-12). */
function kindOfBrands(bytes: Uint8Array): Format | 'video' {
  const size = dataView(bytes).getUint32(0);
  const brands = ascii(bytes, 8, Math.min(Math.max(size - 8, 4), 200));
  const [major, others] = [brands.slice(0, 4), brands.slice(8)];
  if (major === 'crx ') return 'raw';
  const isGeneral = /^(?:mif1|msf1|miaf)$/.test(major);
  if (/^avi[fs]$/.test(major) || (isGeneral && /avi[fs]/.test(others))) return 'avif';
  return isGeneral || /^he(?:i[cxms]|v[cxms])$/.test(major) ? 'heic' : 'video';
}

function sniffText(bytes: Uint8Array): OtherKind {
  const head = bytes.subarray(0, 1024);
  // Bytes that never occur in text, either in UTF-8 or in an 8-bit encoding.
  const isBinary = head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
  if (isBinary) return 'unknown';
  const text = ascii(head, 0, head.length).toLowerCase();
  if (/<svg[\s>]/.test(text)) return 'svg';
  if (/^[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|body)/.test(text)) return 'html';
  return 'text';
}
