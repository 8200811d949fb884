/** The file's own statements, as plain JSON: every text is foreign and may be false. */

import { type FoundTags, readExif } from './exif-tags.ts';
import { type FileText, type FileTexts, readFileTexts } from './file-texts.ts';
import type { MetadataBlocks, MetadataPlace, Warning } from './metadata-blocks.ts';
import { readOrientation } from './orientation.ts';
import { isStructure } from './text.ts';

export interface Metadata {
  /** EXIF tags by name, without positions (see `hasGps`), thumbnails and maker notes. */
  readonly exif: Tags;
  readonly xmp: Tags;
  readonly iptc: Tags;
  /** tEXt, zTXt and iTXt of a PNG by keyword: generators leave their prompt here. */
  readonly pngText: Readonly<Record<string, string>>;
  /** Of a JPEG or GIF. Examinations of earlier versions lack it. */
  readonly comment?: string | null;
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
  /** What is not stored, because it could not be read or is too long. */
  readonly warnings: readonly StoredWarning[];
}

/** Examinations of earlier versions hold an English sentence. */
export type StoredWarning = Warning | string;

export interface ReadMetadata {
  readonly metadata: Metadata;
  /** EXIF orientation 1..8; 1 when absent or impossible. */
  readonly orientation: number;
}

/** Reads the blocks; a block that is broken becomes a warning. Texts are cut to what is stored. Never throws. */
export function readMetadata(blocks: MetadataBlocks): ReadMetadata {
  const texts = readFileTexts(blocks);
  const warnings = [...blocks.warnings, ...texts.warnings];
  const blocksRead = blocks.exif.map((tiff) => readExifBlock(tiff, warnings));
  const found = {
    // Of several blocks the first that has a tag counts.
    exif: new Map(blocksRead.toReversed().flatMap(({ tags }) => [...tags])),
    xmp: joinTexts(texts, 'xmp'),
    iptc: joinTexts(texts, 'iptc'),
    pngText: joinTexts(texts, 'png-text'),
    comments: joinTexts(texts, 'comment'),
  };
  const exif = keepTags('exif', found.exif, warnings);
  const xmp = keepTags('xmp', found.xmp, warnings);
  const pngText = keepTexts('png-text', found.pngText, warnings);
  const [maker, model] = [
    cameraText(exif['Make'], xmp['Make']),
    cameraText(exif['Model'], xmp['Model']),
  ];
  const sourceType = texts.all.find(
    (one) => one.place === 'xmp' && one.field === 'DigitalSourceType',
  );
  const metadata: Metadata = {
    exif,
    xmp,
    iptc: keepTags('iptc', found.iptc, warnings),
    pngText,
    comment: keepTexts('comment', found.comments, warnings)['Comment'] ?? null,
    hasGps: Object.values(found).some((tags) => hasPosition(tags)),
    hasThumbnail: blocksRead.some(({ hasThumbnail }) => hasThumbnail),
    software: firstText(exif['Software'], pngText['Software'], xmp['CreatorTool']),
    cameraMake: maker,
    cameraModel: model,
    takenAt: toIsoTime(firstText(exif['DateTimeOriginal'], xmp['DateTimeOriginal'])),
    // Behind any number of others: what is stored may lack it.
    digitalSourceType: sourceType?.text.slice(0, maxNameLength) ?? null,
    warnings,
  };
  return { metadata, orientation: readOrientation(blocks.exif) };
}

/** A TIFF file is one block, with its pixels. */
const maxExifBytes = 64 * 1024 * 1024;
const nothing: FoundTags = { tags: new Map(), hasThumbnail: false };

function readExifBlock(tiff: Uint8Array, warnings: Warning[]): FoundTags {
  const place = 'exif';
  if (tiff.length > maxExifBytes) {
    warnings.push({ code: 'block_too_large', values: { place, bytes: tiff.length } });
    return nothing;
  }
  try {
    return readExif(tiff);
  } catch {
    // Empty or broken in any way: the picture does not depend on its metadata, so the loss is reported and not fatal.
    warnings.push({ code: 'block_unreadable', values: { place } });
    return nothing;
  }
}

/** The texts of a place by field, those that repeat joined; nested fields behind the properties of the picture itself. */
function joinTexts({ all }: FileTexts, place: MetadataPlace): Map<string, string> {
  const own = all.filter((one) => one.place === place);
  const isNested = ({ field }: FileText) => place === 'xmp' && field.includes('/');
  const ordered = [...own.filter((one) => !isNested(one)), ...own.filter(isNested)];
  const lists = Map.groupBy(ordered, ({ field }) => field);
  return new Map([...lists].map(([field, texts]) => [field, joinOnce(place, texts)]));
}

function joinOnce(place: MetadataPlace, texts: readonly FileText[]): string {
  // Keywords of PNG texts may repeat as well, but each is a text of its own.
  return place === 'png-text' ? texts.at(-1)!.text : texts.map(({ text }) => text).join(', ');
}

/** Generators write workflows and settings where the camera is named: these are no camera. */
function cameraText(...candidates: readonly (string | number | undefined)[]): string | null {
  const text = firstText(...candidates);
  return text === null || isStructure(text) ? null : text;
}

function hasPosition(tags: ReadonlyMap<string, unknown>): boolean {
  return [...tags].some(([name, value]) => isPosition(name, value));
}

function firstText(...candidates: readonly (string | number | undefined)[]): string | null {
  const text = candidates.find((candidate) => candidate !== undefined);
  return text === undefined ? null : `${text}`;
}

/** EXIF writes `2026:03:01 12:00:00`; a camera without a clock zeros or blanks, which are no time. */
function toIsoTime(text: string | null): string | null {
  if (text === null || !/[1-9]/.test(text)) return null;
  return text.replace(/^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/, '$1-$2-$3T$4');
}

function keepTexts(
  place: MetadataPlace,
  texts: ReadonlyMap<string, string>,
  warnings: Warning[],
): Readonly<Record<string, string>> {
  const kept = Object.entries(keepTags(place, texts, warnings));
  return Object.fromEntries(kept.map(([name, text]) => [name, `${text}`]));
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
