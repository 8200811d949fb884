/** Identifies a file by its first bytes; its name and declared type are never trusted. */

import { type Format, formatNames } from '../contract/vocabulary.ts';
import { ascii, dataView, startsWith } from './bytes.ts';
import { readDirectories, readWholeNumber } from './tiff.ts';

/** What a file is if it cannot be examined as a picture; the phrases complete "This is ...". */
const otherKinds = {
  empty: 'an empty file',
  psd: 'a Photoshop document',
  svg: 'an SVG drawing',
  eps: 'a PostScript file',
  bigtiff: 'a BigTIFF picture',
  jls: 'a JPEG-LS picture',
  jxr: 'a JPEG XR picture',
  dicom: 'a DICOM file',
  pnm: 'a PPM, PGM or PBM picture',
  ico: 'an icon',
  pcx: 'a PCX picture',
  tga: 'a TGA picture',
  pdf: 'a PDF document',
  video: 'a video',
  html: 'a web page',
  zip: 'a ZIP archive or an office document',
  ole: 'an Outlook message or an older Office document',
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

/** What a file is that cannot be examined, `unknown` for one that can; `isPicture`: whether it could be converted. */
export function sniffOther(bytes: Uint8Array) {
  const found = sniffKind(bytes);
  const kind: OtherKind = isFormat(found) ? 'unknown' : found;
  return { kind, name: otherKinds[kind], isPicture: convertible.includes(kind) };
}

const convertible: readonly OtherKind[] = [
  'psd',
  'svg',
  'eps',
  'bigtiff',
  'jls',
  'jxr',
  'dicom',
  'pnm',
  'pcx',
  'tga',
];

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
  if (startsWith(bytes, [0xff, 0xd8, 0xff]))
    return readJpegFrame(bytes)?.marker === jpegLsFrame ? 'jls' : 'jpg';
  const known = signatures.find(([, at, ...texts]) =>
    texts.some((text) => ascii(bytes, at, text.length) === text),
  );
  if (known?.[0] === 'tiff' && isRawTiff(bytes)) return 'raw';
  if (known !== undefined) return known[0];
  if (ascii(bytes, 4, 4) === 'ftyp') return kindOfBrands(bytes);
  return sniffText(bytes);
}

/** Format, offset of the signature, and the signatures as Latin-1. */
const signatures: readonly (readonly [Format | OtherKind, number, ...string[]])[] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['tiff', 0, 'II*\0', 'MM\0*'],
  ['bigtiff', 0, 'II+\0', 'MM\0+'],
  ['jxr', 0, 'II\xbc'],
  ['raw', 0, 'IIRO', 'IIRS', 'IIU\0', 'FUJIFILMCCD-RAW'],
  ['jxl', 0, '\0\0\0\x0cJXL ', '\xff\x0a'],
  ['jp2', 0, '\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'],
  ['bmp', 0, 'BM'],
  ['psd', 0, '8BPS'],
  ['eps', 0, '%!PS', '\xc5\xd0\xd3\xc6'],
  ['dicom', 128, 'DICM'],
  ['pnm', 0, 'P1\n', 'P2\n', 'P3\n', 'P4\n', 'P5\n', 'P6\n', 'P7\n'],
  ['ico', 0, '\0\0\x01\0'],
  ['pcx', 0, '\x0a\x05\x01'],
  // It has no signature: true colours without a palette, which all current programs write.
  ['tga', 0, '\0\0\x02\0\0\0\0\0', '\0\0\x0a\0\0\0\0\0'],
  ['pdf', 0, '%PDF-'],
  ['video', 0, '\x1aE\xdf\xa3', '\0\0\x01\xba', '0&\xb2\x75', '\0\0\0\x08wide'],
  ['video', 4, 'moov', 'mdat'],
  ['video', 8, 'AVI '],
  ['ole', 0, '\xd0\xcf\x11\xe0'],
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
  // Mail gateways and web servers leave bytes before the header, which readers allow (ISO 32000-1, Annex H.3).
  if (/%PDF-\d\.\d\s/.test(ascii(head, 0, head.length))) return 'pdf';
  // Bytes that never occur in text, either in UTF-8 or in an 8-bit encoding.
  const isBinary = head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
  if (isBinary) return 'unknown';
  const text = ascii(head, 0, head.length).toLowerCase();
  if (/<svg[\s>]/.test(text)) return 'svg';
  if (/^[\s\xef\xbb\xbf]*<(?:!doctype html|html|head|body)/.test(text)) return 'html';
  return 'text';
}

// Camera raw files: the full-size JPEG stored beside the sensor data is examined, because it is the result of the
// camera's own processing. See Adobe DNG 1.7 and TIFF/EP (ISO 12234-2) for the tags of sensor data. The files of other
// makers are TIFF structures with signatures of their own.

const tags = { subfileType: 0x00fe, photometric: 0x0106, dngVersion: 0xc612 } as const;
/** Colour filter array, and linear raw, which makers also use with compression schemes of their own. */
const sensorData: readonly number[] = [32_803, 34_892];

/** Distinguishes a raw file from an ordinary TIFF by its first directory. */
function isRawTiff(bytes: Uint8Array): boolean {
  // The signature of Canon's CR2 follows the header.
  if (startsWith(bytes.subarray(8), [0x43, 0x52, 0x02])) return true;
  const { primary } = readDirectories(bytes);
  const photometric = readWholeNumber(primary.get(tags.photometric));
  if (primary.has(tags.dngVersion) || sensorData.includes(photometric ?? 0)) return true;
  // Files from Nikon and Sony start with a reduced copy.
  return readWholeNumber(primary.get(tags.subfileType)) === 1;
}

const maxCandidates = 200;

/** The largest embedded JPEG that decoders can display, found by searching for SOI; null if there is none. */
export function largestJpegIn(bytes: Uint8Array): Uint8Array | null {
  let best: { readonly at: number; readonly pixels: number } | null = null;
  let at = bytes.indexOf(0xff, 1);
  for (let count = 0; at >= 0 && count < maxCandidates; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] !== 0xd8 || bytes[at + 2] !== 0xff) continue;
    count++;
    const frame = readJpegFrame(bytes, at);
    // Only baseline or progressive: the frame of sensor data is lossless.
    const pixels = frame !== null && frame.marker <= 0xc2 ? frame.width * frame.height : 0;
    if (pixels > (best?.pixels ?? 0)) best = { at, pixels };
  }
  return best === null ? null : bytes.subarray(best.at);
}

/** SOF55 (ITU-T T.87). */
const jpegLsFrame = 0xf7;

/** True for SOF0 to SOF15 and SOF55, but not for DHT, JPG and DAC, whose codes lie in the same range. */
export function isFrame(marker: number): boolean {
  const isUsual = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
  return isUsual || marker === jpegLsFrame;
}

/** Protects against malicious files: a 50 MB file needs fewer segments than this if they are full. */
export const maxSegments = 1000;

/** Of the JPEG file at `start`, with the EXIF blocks before it; null if there is no frame before the first scan. */
export function readJpegFrame(bytes: Uint8Array, start = 0) {
  const exif: Uint8Array[] = [];
  const word = (at: number) => (bytes[at]! << 8) | bytes[at + 1]!;
  for (let at = start + 2, count = 0; at + 9 < bytes.length && bytes[at] === 0xff; count++) {
    const marker = bytes[at + 1]!;
    if (count === maxSegments) return null;
    if (isFrame(marker)) return { marker, height: word(at + 5), width: word(at + 7), exif };
    if (marker === 0xe1 && ascii(bytes, at + 4, 5) === 'Exif\0')
      exif.push(bytes.subarray(at + 10, at + 2 + word(at + 2)));
    if (marker === 0xda || (marker < 0xff && word(at + 2) < 2)) return null;
    // A marker may be preceded by any number of fill bytes.
    at += marker === 0xff ? 1 : 2 + word(at + 2);
  }
  return null;
}
