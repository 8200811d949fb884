/** The file's own statements as plain JSON. All of this text is untrusted and may be false. */

// Node.js finds no named exports in exifreader's minified CommonJS, so only the default import works.
/* oxlint-disable import/no-named-as-default-member */

import ExifReader from 'exifreader';
import { type FileText, type FileTexts, readFileTexts } from './file-texts.ts';
import type { MetadataPlace, StoredWarning, Warning } from '../contract/provenance.ts';
import type { MetadataBlocks } from './metadata-blocks.ts';
import { readOrientation } from './orientation.ts';
import { isStructure } from './bytes.ts';
import { readExifClues } from './exif.ts';
import { isEmptyBlock, readDirectories, types } from './tiff.ts';

export interface Metadata {
  /** EXIF tags by name, without positions (see `hasGps`), thumbnails and maker notes. */
  readonly exif: Tags;
  readonly xmp: Tags;
  readonly iptc: Tags;
  /** tEXt, zTXt and iTXt chunks of a PNG, by keyword; generators store their prompts here. */
  readonly pngText: Readonly<Record<string, string>>;
  /** A JPEG or GIF comment. Absent in examinations from earlier versions. */
  readonly comment?: string | null;
  /** Whether the file contains a position. The position itself is never stored. */
  readonly hasGps: boolean;
  readonly hasThumbnail: boolean;
  readonly software: string | null;
  readonly cameraMake: string | null;
  readonly cameraModel: string | null;
  /** As written by the camera, without a time zone: `2026-03-01T12:00:00`; the raw text if it has another format. */
  readonly takenAt: string | null;
  /** IPTC NewsCodes URI, such as `http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia`. */
  readonly digitalSourceType: string | null;
  /** What was not stored because it could not be read or is too long. */
  readonly warnings: readonly StoredWarning[];
}

/** Truncates stored text, but not `texts`; a broken block becomes a warning. Never throws. */
export function readMetadata(blocks: MetadataBlocks) {
  const texts = readFileTexts(blocks);
  const warnings = [...blocks.warnings, ...texts.warnings];
  const blocksRead = blocks.exif.map((tiff) => readExif(tiff, warnings));
  const found = {
    // If several blocks have the same tag, the first of them applies.
    exif: new Map(blocksRead.toReversed().flatMap(({ tags }) => [...tags])),
    xmp: joinTexts(texts, 'xmp'),
    iptc: joinTexts(texts, 'iptc'),
    pngText: joinTexts(texts, 'png-text'),
    comments: joinTexts(texts, 'comment'),
  };
  const exif = keepTags('exif', found.exif, warnings);
  const xmp = keepTags('xmp', found.xmp, warnings);
  const pngText = keepTexts('png-text', found.pngText, warnings);
  const sourceType = texts.all.find(
    (one) => one.place === 'xmp' && one.field === 'DigitalSourceType',
  );
  const metadata: Metadata = {
    exif,
    xmp,
    iptc: keepTags('iptc', found.iptc, warnings),
    pngText,
    comment: keepTexts('comment', found.comments, warnings)['Comment'] ?? null,
    hasGps: Object.values(found).some((tags) =>
      [...tags].some(([name, value]) => isPosition(name, value)),
    ),
    hasThumbnail: blocksRead.some(({ hasThumbnail }) => hasThumbnail),
    software: firstText(exif['Software'], pngText['Software'], xmp['CreatorTool']),
    cameraMake: cameraText(exif['Make'], xmp['Make']),
    cameraModel: cameraText(exif['Model'], xmp['Model']),
    takenAt: toIsoTime(firstText(exif['DateTimeOriginal'], xmp['DateTimeOriginal'])),
    // Searched before truncation, because the stored text may no longer contain it.
    digitalSourceType: sourceType?.text.slice(0, maxNameLength) ?? null,
    warnings,
  };
  return { metadata, texts, orientation: readOrientation(blocks.exif) };
}

/** The texts of one place by field. Repeated fields are joined, with those of nested pictures last. */
function joinTexts({ all }: FileTexts, place: MetadataPlace): Map<string, string> {
  const own = all.filter((one) => one.place === place);
  const isNested = ({ field }: FileText) => place === 'xmp' && field.includes('/');
  const ordered = [...own.filter((one) => !isNested(one)), ...own.filter(isNested)];
  const lists = Map.groupBy(ordered, ({ field }) => field);
  return new Map(
    [...lists].map(([field, texts]) => [
      field,
      // PNG keywords may be repeated too, but then each text stands on its own.
      (place === 'png-text' ? texts.slice(-1) : texts).map(({ text }) => text).join(', '),
    ]),
  );
}

/** Generators store workflows and settings in the camera fields; these are not the name of a camera. */
function cameraText(...candidates: readonly (string | number | undefined)[]): string | null {
  const text = firstText(...candidates);
  return text === null || isStructure(text) ? null : text;
}

function firstText(...candidates: readonly (string | number | undefined)[]): string | null {
  const text = candidates.find((candidate) => candidate !== undefined);
  return text === undefined ? null : `${text}`;
}

/** EXIF writes `2026:03:01 12:00:00`; a camera without a clock writes zeros or blanks instead of a time. */
function toIsoTime(text: string | null): string | null {
  if (text === null || !/[1-9]/.test(text)) return null;
  return text.replace(/^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/, '$1-$2-$3T$4');
}

function keepTexts(place: MetadataPlace, texts: ReadonlyMap<string, string>, warnings: Warning[]) {
  const kept = Object.entries(keepTags(place, texts, warnings));
  return Object.fromEntries(kept.map(([name, text]) => [name, `${text}`]));
}

/** Tags by name; numbers stay numbers, all other values become text. */
export type Tags = Readonly<Record<string, string | number>>;

const maxTags = 200;
const maxNameLength = 100;
const maxTextLength = 2000;

/** Leaves out positions, and reports in `warnings` what was cut. */
function keepTags(place: MetadataPlace, tags: ReadonlyMap<string, unknown>, warnings: Warning[]) {
  const kept: [string, string | number][] = [];
  let isCut = false;
  for (const [name, raw] of tags) {
    const value = toPlain(raw);
    // The times, directions and speeds of a GPS receiver also narrow a position down.
    if (value === null || isPosition(name, value) || /GPS/i.test(name)) continue;
    if (kept.length === maxTags) {
      warnings.push({ code: 'entries_cut', values: { place, entries: maxTags } });
      break;
    }
    isCut ||= typeof value === 'string' && value.length > maxTextLength;
    const shown = typeof value === 'string' ? cleanText(value) : value;
    kept.push([cleanText(name, maxNameLength), shown]);
  }
  if (isCut) warnings.push({ code: 'texts_cut', values: { place, characters: maxTextLength } });
  // fromEntries defines properties, so a tag called __proto__ is stored like any other.
  return Object.fromEntries(kept);
}

/** Whether the tag, or a structure in its text, reveals where the picture was taken. */
function isPosition(name: string, value: unknown): boolean {
  if (/latitude|longitude|GPS ?(?:position|coordinates)/i.test(name)) return true;
  return typeof value === 'string' && /GPS ?(?:latitude|longitude|position)/i.test(value);
}

/** Control characters other than line breaks and tabs become spaces, unpaired surrogates the replacement character. */
function cleanText(text: string, maxLength = maxTextLength): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/\p{Surrogate}/gu, '\u{fffd}')
    .replaceAll(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim();
}

/** A number, non-empty text, or null for anything else. Numbers written as text stay text. */
function toPlain(value: unknown): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

// Only the code below uses exifreader, which returns readable values such as `1/125` and `Flash fired`. Each block is
// passed in the smallest file that exifreader accepts, so that it never follows a length field of the real file.

/** A TIFF file is a single block that also contains the pixels. */
const maxExifBytes = 64 * 1024 * 1024;

/** Tags that tell a reader nothing, such as file offsets and raw blocks. */
const structuralTags: ReadonlySet<string> = new Set(
  [
    ['Exif IFD Pointer', 'GPS Info IFD Pointer', 'Interoperability IFD Pointer'],
    ['MakerNote', 'IPTC-NAA', 'ApplicationNotes', 'ICC_Profile', 'ImageSourceData'],
    ['PhotoshopSettings', 'Padding', 'OffsetSchema'],
  ].flat(),
);

/** Reads text itself, because exifreader reads past the end of a text; a block that is empty or broken has no tags. */
function readExif(tiff: Uint8Array, warnings: Warning[]) {
  // Numbers and text; other values are dropped later.
  const tags = new Map<string, unknown>();
  const place = 'exif';
  if (tiff.length > maxExifBytes)
    warnings.push({ code: 'block_too_large', values: { place, bytes: tiff.length } });
  if (tiff.length > maxExifBytes || isEmptyBlock(tiff)) return { tags, hasThumbnail: false };
  try {
    const hasThumbnail = loadTags(tiff, tags);
    if (tags.size > 0 || hasThumbnail) return { tags, hasThumbnail };
  } catch {
    // The picture does not depend on the block, so the loss is reported and reading continues.
    tags.clear();
  }
  warnings.push({ code: 'block_unreadable', values: { place } });
  return { tags, hasThumbnail: false };
}

/** @returns whether the block has a thumbnail. @throws whatever exifreader throws. */
function loadTags(tiff: Uint8Array, tags: Map<string, unknown>): boolean {
  const { exif = {}, Thumbnail } = ExifReader.load(asEarlierExif(tiff), {
    expanded: true,
    excludeTags: { makerNotes: true, composite: true, xmp: true, iptc: true, icc: true },
  });
  const texts = new Map(readExifClues([tiff]).texts.map((text) => [text.tag, text]));
  for (const [name, tag] of Object.entries(exif)) {
    if (structuralTags.has(name)) continue;
    tags.set(name, texts.get('id' in tag ? tag.id : -1)?.text ?? describeTag(tag));
  }
  for (const { field, text } of texts.values()) {
    if (!field.startsWith('0x') && !tags.has(field)) tags.set(field, text);
  }
  // The thumbnail group exists if the second directory does; its image exists only if it lies inside the block.
  return Thumbnail?.image !== undefined;
}

/** Longer values that are not text are never shown: pixel strips, maker notes, embedded blocks. */
const maxValueBytes = 1024;

/** A copy that exifreader reads: long arrays cut to one value, and text of Exif 3.0, a type unknown to it, as ASCII. */
function asEarlierExif(tiff: Uint8Array): ArrayBuffer {
  const copy = Uint8Array.from(tiff);
  const view = new DataView(copy.buffer);
  for (const directory of Object.values(readDirectories(tiff))) {
    for (const { offset, type, bytes, isLittleEndian } of directory.values()) {
      if (type === types.utf8) view.setUint16(offset + 2, types.ascii, isLittleEndian);
      if (bytes.length > maxValueBytes) view.setUint32(offset + 4, 1, isLittleEndian);
    }
  }
  return copy.buffer;
}

function describeTag(tag: unknown): unknown {
  if (Array.isArray(tag)) return tag.map(describeTag).join(', ');
  if (typeof tag !== 'object' || tag === null || !('description' in tag)) return null;
  return tag.description;
}
