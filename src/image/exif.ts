/**
 * Reads what EXIF contains beyond the stored tags: full text, thumbnail bytes, contradictory times.
 * Of the GPS data it reads only the satellite clock, and even that is not stored.
 *
 * @see CIPA DC-008-2023 (Exif 3.0), 4.6, for the tags.
 */

import { ascii, decodeText, untilNul } from './bytes.ts';
import {
  type Directories,
  type Field,
  joinDirectories,
  readFractions,
  readDirectories,
  readTextField,
  readWholeNumber,
  types,
} from './tiff.ts';

/** `at` is the time in the file, read as if it were UTC; `offsetMinutes` is the stated offset east of UTC, or null. */
export interface ExifTime {
  readonly at: Date;
  readonly offsetMinutes: number | null;
}

export type ExifClues = ReturnType<typeof readExifClues>;

export interface ExifText {
  readonly tag: number;
  /** Tag name, or its number, such as `0xc4a5`. */
  readonly field: string;
  /** The whole text, not truncated. */
  readonly text: string;
}

const tags = {
  changedAt: 0x0132,
  thumbnailOffset: 0x0201,
  thumbnailBytes: 0x0202,
  exposureTime: 0x829a,
  takenAt: 0x9003,
  changedOffset: 0x9010,
  takenOffset: 0x9011,
  makerNote: 0x927c,
  userComment: 0x9286,
  pixelWidth: 0xa002,
  pixelHeight: 0xa003,
  satelliteTime: 0x0007,
  satelliteDate: 0x001d,
} as const;

/** Tags in which people and programs write free text. Others are identified by number. */
const namesOfTexts: Readonly<Record<number, string>> = {
  0x010d: 'DocumentName',
  0x010e: 'ImageDescription',
  0x010f: 'Make',
  0x0110: 'Model',
  0x0131: 'Software',
  0x0132: 'DateTime',
  0x013b: 'Artist',
  0x013c: 'HostComputer',
  0x8298: 'Copyright',
  0x9003: 'DateTimeOriginal',
  0x9004: 'DateTimeDigitized',
  0x9286: 'UserComment',
  0x9c9b: 'XPTitle',
  0x9c9c: 'XPComment',
  0x9c9d: 'XPAuthor',
  0x9c9e: 'XPKeywords',
  0x9c9f: 'XPSubject',
  0xa433: 'LensMake',
  0xa434: 'LensModel',
  0xa436: 'ImageTitle',
  0xa437: 'Photographer',
  0xa438: 'ImageEditor',
  0xa439: 'CameraFirmware',
  0xa43a: 'RAWDevelopingSoftware',
  0xa43b: 'ImageEditingSoftware',
  0xa43c: 'MetadataEditingSoftware',
};

/** Text from every block (a TIFF structure), each other value from the first block that has it. Never throws. */
export function readExifClues(blocks: readonly Uint8Array[]) {
  const read = blocks.map((tiff) => ({ tiff, directories: readDirectories(tiff) }));
  const directories = joinDirectories(read.map(({ directories: one }) => one));
  const { primary, exif } = directories;
  const width = readWholeNumber(exif.get(tags.pixelWidth));
  const height = readWholeNumber(exif.get(tags.pixelHeight));
  return {
    texts: read.flatMap(({ tiff, directories: one }) => readTexts(tiff, one)),
    takenAt: readTime(exif.get(tags.takenAt), exif.get(tags.takenOffset)),
    changedAt: readTime(primary.get(tags.changedAt), exif.get(tags.changedOffset)),
    satelliteTime: readSatelliteTime(directories),
    /** Size of the whole picture, as stated by the program that wrote the file. */
    statedSize: width && height ? { width, height } : null,
    hasExposure: exif.has(tags.exposureTime),
    hasMakerNote: exif.has(tags.makerNote),
    /** Bytes of a JPEG file. */
    thumbnail: read.map((one) => readThumbnail(one.directories, one.tiff)).find(Boolean) ?? null,
  };
}

/** Programs write comments into both directories, so both are read in full. */
function readTexts(tiff: Uint8Array, { primary, exif }: Directories): readonly ExifText[] {
  // Values normally do not overlap, but a malicious block may repeat one value in every field to keep the reader busy.
  let budget = 2 * tiff.length;
  return [...primary, ...exif].flatMap(([tag, field]) => {
    budget -= field.bytes.length;
    if (budget < 0) return [];
    const text = readText(tag, field);
    const name = namesOfTexts[tag] ?? `0x${tag.toString(16).padStart(4, '0')}`;
    return text === null ? [] : { tag, field: name, text };
  });
}

function readText(tag: number, field: Field): string | null {
  if (tag === tags.userComment) return readComment(field.bytes);
  // Windows stores UTF-16LE with the type for bytes.
  const isWindowsText = tag >= 0x9c9b && tag <= 0x9c9f && field.type === types.byte;
  if (!isWindowsText) return readTextField(field);
  return untilNul(new TextDecoder('utf-16le').decode(field.bytes)).trim() || null;
}

/** The first eight bytes name the character code (Exif 3.0, 4.6.6, table 13); some programs omit or misstate it. */
function readComment(bytes: Uint8Array): string | null {
  const code = /^(?:ASCII|UNICODE|JIS|\0{5})[\0 ]*/i.exec(ascii(bytes, 0, 8))?.[0] ?? '';
  const stored = bytes.subarray(code === '' ? 0 : 8);
  const isJapanese = /^JIS/i.test(code);
  const decodeOther = /^UNICODE/i.test(code) ? decodeUtf16 : decodeText;
  const text = isJapanese ? new TextDecoder('iso-2022-jp').decode(stored) : decodeOther(stored);
  return untilNul(text.replace(/^\0+/, '')).trim() || null;
}

/** Detects the byte order regardless of the block's: most text is Latin, so most of its upper bytes are zero. */
function decodeUtf16(bytes: Uint8Array): string {
  const hasMark =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (hasMark) return decodeText(bytes);
  const zeros = [0, 0];
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros[i & 1]!++;
  const [even = 0, odd = 0] = zeros;
  // Without zero bytes, these are single-byte characters, labelled as a wider code.
  const text = new TextDecoder('latin1').decode(bytes);
  if (even + odd === 0 && /^[\t\n\r -~]*$/.test(text)) return text;
  return new TextDecoder(even > odd ? 'utf-16be' : 'utf-16le').decode(bytes);
}

function readTime(time: Field | undefined, offset: Field | undefined): ExifTime | null {
  const text = readTextField(time) ?? '';
  if (!/^\d{4}:\d\d:\d\d \d\d:\d\d:\d\d$/.test(text)) return null;
  const at = new Date(text.replace(/^(\d{4}):(\d\d):(\d\d) (.*)$/, '$1-$2-$3T$4Z'));
  if (Number.isNaN(at.getTime())) return null;
  return { at, offsetMinutes: readOffset(readTextField(offset)) };
}

/** Parses an offset such as `+02:00`. */
function readOffset(text: string | null): number | null {
  const match = /^([+-])(\d\d):(\d\d)$/.exec(text ?? '');
  if (match === null) return null;
  const minutes = 60 * Number(match[2]) + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

/** In UTC. */
function readSatelliteTime({ gps }: Directories): Date | null {
  const day = /^(\d{4}):(\d\d):(\d\d)$/.exec(readTextField(gps.get(tags.satelliteDate)) ?? '');
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = readFractions(
    gps.get(tags.satelliteTime),
  );
  if (day === null || !(hours < 24 && minutes < 60 && seconds <= 60)) return null;
  const [, year, month, date] = day.map(Number);
  const time = Date.UTC(year!, month! - 1, date, hours, minutes, seconds);
  return Number.isNaN(time) ? null : new Date(time);
}

function readThumbnail({ thumbnail }: Directories, tiff: Uint8Array): Uint8Array | null {
  const offset = readWholeNumber(thumbnail.get(tags.thumbnailOffset));
  const sizeBytes = readWholeNumber(thumbnail.get(tags.thumbnailBytes));
  if (!offset || !sizeBytes || offset + sizeBytes > tiff.length) return null;
  return tiff.subarray(offset, offset + sizeBytes);
}
