/** The file's own statements, as plain JSON: every text is foreign and may be false. */

import type { DeclarationPlace } from '../contract/vocabulary.ts';
import { type FoundTags, readExif, readIptc, readXmp } from './metadata-readers.ts';
import { readOrientation } from './orientation.ts';

export interface Metadata {
  /** EXIF tags by name, without positions (see `hasGps`), thumbnails and maker notes. */
  readonly exif: Tags;
  readonly xmp: Tags;
  readonly iptc: Tags;
  /** tEXt, zTXt and iTXt of a PNG by keyword: generators leave their prompt here. */
  readonly pngText: Readonly<Record<string, string>>;
  /** True when the file holds a position. The position itself is never stored. */
  readonly hasGps: boolean;
  readonly hasThumbnail: boolean;
  readonly software: string | null;
  readonly cameraMake: string | null;
  readonly cameraModel: string | null;
  /** As the camera wrote it, without a time zone: `2026-03-01T12:00:00`; the text itself when it is written otherwise. */
  readonly takenAt: string | null;
  /** IPTC NewsCodes URI, such as `http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia`. */
  readonly digitalSourceType: string | null;
  readonly warnings: readonly StoredWarning[];
}

/** What could not be read of a file, or was left out: a code with values for each case. */
export interface WarningValues {
  readonly texts_cut: { readonly place: MetadataPlace; readonly characters: number };
  readonly entries_cut: { readonly place: MetadataPlace; readonly entries: number };
  readonly block_too_large: { readonly place: MetadataPlace; readonly bytes: number };
  readonly block_unreadable: { readonly place: MetadataPlace };
  readonly extended_xmp_not_read: NoValues;
  readonly png_chunks_cut: NoValues;
  /** `keyword`: foreign text. */
  readonly png_text_not_inflated: { readonly keyword: string };
  readonly thumbnail_unreadable: NoValues;
  readonly credentials_elsewhere: NoValues;
  readonly not_read_by_earlier_version: NoValues;
}

type MetadataPlace = Exclude<DeclarationPlace, 'c2pa'>;
type NoValues = Readonly<Record<string, never>>;

export type WarningCode = keyof WarningValues;

export type Warning = {
  readonly [Code in WarningCode]: { readonly code: Code; readonly values: WarningValues[Code] };
}[WarningCode];

/** Examinations of earlier versions hold an English sentence. */
export type StoredWarning = Warning | string;

/**
 * Where a file stores its metadata, cut out of the container: see `jpeg-metadata.ts` and `png-metadata.ts`. Each list in the
 * order of the file.
 */
export interface MetadataBlocks {
  /** TIFF structures, without the `Exif\0\0` before them. */
  readonly exif: readonly Uint8Array[];
  /** XMP packets, each whole: parts are joined. */
  readonly xmp: readonly Uint8Array[];
  /** Photoshop image resources, beginning with `8BIM`: IPTC is one of them. */
  readonly photoshop: readonly Uint8Array[];
  readonly texts: readonly MetadataText[];
  readonly warnings: readonly Warning[];
}

/** A text of the container itself, uncut. */
export interface MetadataText {
  /** `comment`: that of a JPEG or GIF. */
  readonly place: 'png-text' | 'comment';
  /** As the file names it; `Comment` for a place without names. */
  readonly keyword: string;
  readonly text: string;
}

export interface ReadMetadata {
  readonly metadata: Metadata;
  /** EXIF orientation 1..8; 1 when absent or impossible. */
  readonly orientation: number;
}

/** Reads the blocks; a block that is broken becomes a warning. Never throws. */
export function readMetadata(blocks: MetadataBlocks): ReadMetadata {
  const warnings = [...blocks.warnings];
  const read = (
    place: MetadataPlace,
    list: readonly Uint8Array[],
    reader: (block: Uint8Array) => FoundTags,
  ) => joinTags(list.map((block) => readBlock({ place, block, reader, warnings })));
  const texts = blocks.texts
    .filter(({ place }) => place === 'png-text')
    .map(({ keyword, text }) => [keyword, text] as const);
  const found = {
    exif: read('exif', blocks.exif, readExif),
    xmp: read('xmp', blocks.xmp, readXmp),
    iptc: read('iptc', blocks.photoshop, readIptc),
    pngText: { tags: new Map(texts), hasThumbnail: false },
  };
  const exif = keepTags('exif', found.exif.tags, warnings);
  const xmp = keepTags('xmp', found.xmp.tags, warnings);
  const iptc = keepTags('iptc', found.iptc.tags, warnings);
  const pngText = keepTags('png-text', found.pngText.tags, warnings);
  const metadata: Metadata = {
    exif,
    xmp,
    iptc,
    pngText: Object.fromEntries(Object.entries(pngText).map(([name, text]) => [name, `${text}`])),
    hasGps: Object.values(found).some(({ tags }) => hasPosition(tags)),
    hasThumbnail: found.exif.hasThumbnail,
    software: firstText(exif['Software'], pngText['Software'], xmp['CreatorTool']),
    cameraMake: firstText(exif['Make'], xmp['Make']),
    cameraModel: firstText(exif['Model'], xmp['Model']),
    takenAt: toIsoTime(firstText(exif['DateTimeOriginal'], xmp['DateTimeOriginal'])),
    digitalSourceType: firstText(xmp['DigitalSourceType']),
    warnings,
  };
  return { metadata, orientation: readOrientation(blocks.exif) };
}

/** Larger blocks are not given to the parsers: a JPEG segment holds 64 KB, Photoshop's XMP in a PNG seldom more. */
const maxBlockBytes = 256 * 1024;
const nothing: FoundTags = { tags: new Map(), hasThumbnail: false };

/** Of several blocks the first that has a tag counts. */
function joinTags(found: readonly FoundTags[]): FoundTags {
  return {
    tags: new Map(found.toReversed().flatMap(({ tags }) => [...tags])),
    hasThumbnail: found.some(({ hasThumbnail }) => hasThumbnail),
  };
}

interface BlockToRead {
  readonly place: MetadataPlace;
  readonly block: Uint8Array;
  readonly reader: (block: Uint8Array) => FoundTags;
  readonly warnings: Warning[];
}

function readBlock({ place, block, reader, warnings }: BlockToRead): FoundTags {
  if (block.length > maxBlockBytes) {
    warnings.push({ code: 'block_too_large', values: { place, bytes: block.length } });
    return nothing;
  }
  try {
    return reader(block);
  } catch {
    // Empty or broken in any way: the picture does not depend on its metadata, so the loss is reported and not fatal.
    warnings.push({ code: 'block_unreadable', values: { place } });
    return nothing;
  }
}

function hasPosition(tags: ReadonlyMap<string, unknown>): boolean {
  return [...tags].some(([name, value]) => isPosition(name, value));
}

function firstText(...candidates: readonly (string | number | undefined)[]): string | null {
  const text = candidates.find((candidate) => candidate !== undefined);
  return text === undefined ? null : `${text}`;
}

/** EXIF writes `2026:03:01 12:00:00`. */
function toIsoTime(text: string | null): string | null {
  return text?.replace(/^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/, '$1-$2-$3T$4') ?? null;
}

/** Tags by name; numbers stay numbers, everything else is text. */
export type Tags = Readonly<Record<string, string | number>>;

const maxTags = 200;
const maxNameLength = 100;
const maxTextLength = 2000;

/**
 * At most 200 tags with names of at most 100 and texts of at most 2,000 characters, positions left out.
 * Cuts are reported in `warnings`.
 */
function keepTags(
  place: MetadataPlace,
  tags: ReadonlyMap<string, unknown>,
  warnings: Warning[],
): Tags {
  const kept: [string, string | number][] = [];
  let isCut = false;
  for (const [name, raw] of tags) {
    const value = toPlain(raw);
    if (value === null || isPosition(name, value) || isOfReceiver(name)) continue;
    if (kept.length === maxTags) {
      warnings.push({ code: 'entries_cut', values: { place, entries: maxTags } });
      break;
    }
    isCut ||= typeof value === 'string' && value.length > maxTextLength;
    kept.push([
      cleanText(name, maxNameLength),
      typeof value === 'string' ? cleanText(value) : value,
    ]);
  }
  if (isCut) warnings.push({ code: 'texts_cut', values: { place, characters: maxTextLength } });
  // fromEntries defines its properties, so a tag called __proto__ is a tag like any other.
  return Object.fromEntries(kept);
}

/** True when the tag, or a structure inside its text, shows where the picture was taken. */
function isPosition(name: string, value: unknown): boolean {
  if (/latitude|longitude|GPS ?(?:position|coordinates)/i.test(name)) return true;
  return typeof value === 'string' && /GPS ?(?:latitude|longitude|position)/i.test(value);
}

/** Times, directions and speeds of a receiver narrow a position down as well. */
function isOfReceiver(name: string): boolean {
  return /GPS/i.test(name);
}

/** Control characters but line breaks and tabs become spaces, halves of surrogate pairs the replacement character. */
function cleanText(text: string, maxLength = maxTextLength): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/\p{Surrogate}/gu, '\u{fffd}')
    .replaceAll(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim();
}

/** A number, a non-empty text, or null for what is neither. Numbers written as text stay text. */
function toPlain(value: unknown): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
