/**
 * What EXIF contains besides the tags that are stored with a picture: whole texts, the thumbnail's bytes, times that contradict
 * each other. Of the position it reads the satellites' clock and nothing else, and that is not stored either.
 *
 * @see CIPA DC-008-2023 (Exif 3.0), 4.6, for the tags.
 */

import {
  decodeText,
  type Directories,
  type Field,
  joinDirectories,
  readFractions,
  readDirectories,
  readTextField,
  readWholeNumber,
} from './tiff.ts';

/** `at` as the file writes it, read as UTC; `offsetMinutes` east of it, null when the file does not state it. */
export interface ExifTime {
  readonly at: Date;
  readonly offsetMinutes: number | null;
}

export interface ExifClues {
  readonly texts: readonly ExifText[];
  readonly takenAt: ExifTime | null;
  readonly changedAt: ExifTime | null;
  /** UTC. */
  readonly satelliteTime: Date | null;
  /** Of the whole picture, as the writing program saw it. */
  readonly statedSize: { readonly width: number; readonly height: number } | null;
  readonly hasExposure: boolean;
  readonly hasMakerNote: boolean;
  /** A JPEG file. */
  readonly thumbnail: Uint8Array | null;
}

export interface ExifText {
  /** Name of the tag. */
  readonly field: string;
  /** Uncut. */
  readonly text: string;
}

const tags = {
  imageDescription: 0x010e,
  make: 0x010f,
  model: 0x0110,
  software: 0x0131,
  changedAt: 0x0132,
  artist: 0x013b,
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

/**
 * Of several blocks every text counts, and of everything else the first.
 *
 * @param blocks - TIFF structures, without the `Exif\0\0` before them. Never throws.
 */
export function readExifClues(blocks: readonly Uint8Array[]): ExifClues {
  const read = blocks.map((tiff) => ({ tiff, directories: readDirectories(tiff) }));
  const directories = joinDirectories(read.map(({ directories: one }) => one));
  const { primary, exif } = directories;
  return {
    texts: read.flatMap(({ directories: one }) => readTexts(one)),
    takenAt: readTime(exif.get(tags.takenAt), exif.get(tags.takenOffset)),
    changedAt: readTime(primary.get(tags.changedAt), exif.get(tags.changedOffset)),
    satelliteTime: readSatelliteTime(directories),
    statedSize: readStatedSize(directories),
    hasExposure: exif.has(tags.exposureTime),
    hasMakerNote: exif.has(tags.makerNote),
    thumbnail: read.map((one) => readThumbnail(one.directories, one.tiff)).find(Boolean) ?? null,
  };
}

function readTexts({ primary, exif }: Directories): readonly ExifText[] {
  const found: readonly (readonly [string, string | null])[] = [
    ['ImageDescription', readTextField(primary.get(tags.imageDescription))],
    ['Make', readTextField(primary.get(tags.make))],
    ['Model', readTextField(primary.get(tags.model))],
    ['Software', readTextField(primary.get(tags.software))],
    ['Artist', readTextField(primary.get(tags.artist))],
    ['UserComment', readComment(exif.get(tags.userComment))],
  ];
  return found.flatMap(([field, text]) => (text === null ? [] : { field, text }));
}

/** Eight bytes name the character code; UTF-16 comes in either byte order, regardless of the block's own. */
function readComment(field: Field | undefined): string | null {
  if (field === undefined || field.bytes.length <= 8) return null;
  const code = String.fromCharCode(...field.bytes.subarray(0, 8));
  const bytes = field.bytes.subarray(8);
  const text = code.startsWith('UNICODE') ? decodeUtf16(bytes) : decodeText(bytes);
  return text.replaceAll('\0', '').trim() || null;
}

/** Texts here are mostly Latin, so the order is the one whose upper bytes are mostly zero. */
function decodeUtf16(bytes: Uint8Array): string {
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    if (bytes[i] === 0) evenZeros++;
    if (bytes[i + 1] === 0) oddZeros++;
  }
  return new TextDecoder(evenZeros > oddZeros ? 'utf-16be' : 'utf-16le').decode(bytes);
}

function readTime(time: Field | undefined, offset: Field | undefined): ExifTime | null {
  const text = readTextField(time) ?? '';
  const match = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (match === null) return null;
  const at = new Date(text.replace(/^(\d{4}):(\d\d):(\d\d) (.*)$/, '$1-$2-$3T$4Z'));
  return Number.isNaN(at.getTime())
    ? null
    : { at, offsetMinutes: readOffset(readTextField(offset)) };
}

/** `+02:00`. */
function readOffset(text: string | null): number | null {
  const match = /^([+-])(\d\d):(\d\d)$/.exec(text ?? '');
  if (match === null) return null;
  const minutes = 60 * Number(match[2]) + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

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

function readStatedSize({ exif }: Directories): ExifClues['statedSize'] {
  const width = readWholeNumber(exif.get(tags.pixelWidth));
  const height = readWholeNumber(exif.get(tags.pixelHeight));
  return width && height ? { width, height } : null;
}

function readThumbnail({ thumbnail }: Directories, tiff: Uint8Array): Uint8Array | null {
  const offset = readWholeNumber(thumbnail.get(tags.thumbnailOffset));
  const sizeBytes = readWholeNumber(thumbnail.get(tags.thumbnailBytes));
  if (!offset || !sizeBytes || offset + sizeBytes > tiff.length) return null;
  return tiff.subarray(offset, offset + sizeBytes);
}
