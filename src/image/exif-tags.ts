/**
 * The only file that uses exifreader, which returns human-readable values such as `1/125` and `Flash fired`. Each block
 * is passed in the smallest file that it accepts, so that exifreader never follows a length field of the real file.
 */

// Node.js finds no named exports in exifreader's minified CommonJS, so only the default import works.
/* oxlint-disable import/no-named-as-default-member */

import ExifReader from 'exifreader';
import { readExifClues } from './exif.ts';
import { isEmptyBlock, readDirectories, types } from './tiff.ts';

export interface FoundTags {
  /** Numbers and text; other values are dropped later. */
  readonly tags: ReadonlyMap<string, unknown>;
  readonly hasThumbnail: boolean;
}

/** Tags that tell a reader nothing: file offsets and raw blocks. */
const structuralTags: ReadonlySet<string> = new Set(
  [
    ['Exif IFD Pointer', 'GPS Info IFD Pointer', 'Interoperability IFD Pointer'],
    ['MakerNote', 'IPTC-NAA', 'ApplicationNotes', 'ICC_Profile', 'ImageSourceData'],
    ['PhotoshopSettings', 'Padding', 'OffsetSchema'],
  ].flat(),
);

/** Reads text itself, because exifreader reads past its end. @throws whatever exifreader throws on a broken block. */
export function readExif(tiff: Uint8Array): FoundTags {
  if (isEmptyBlock(tiff)) return { tags: new Map(), hasThumbnail: false };
  const { exif = {}, Thumbnail } = ExifReader.load(asEarlierExif(tiff), {
    expanded: true,
    excludeTags: { makerNotes: true, composite: true, xmp: true, iptc: true, icc: true },
  });
  const texts = new Map(readExifClues([tiff]).texts.map((text) => [text.tag, text]));
  // The thumbnail group exists whenever the second directory does; its image only if the range lies inside the block.
  const hasThumbnail = Thumbnail?.image !== undefined;
  const tags = new Map<string, unknown>();
  for (const [name, tag] of Object.entries(exif)) {
    if (structuralTags.has(name)) continue;
    tags.set(name, texts.get('id' in tag ? tag.id : -1)?.text ?? describeTag(tag));
  }
  for (const { field, text } of texts.values()) {
    if (!field.startsWith('0x') && !tags.has(field)) tags.set(field, text);
  }
  if (tags.size === 0 && !hasThumbnail) throw new Error('The EXIF block has no tags.');
  return { tags, hasThumbnail };
}

/** Longer non-text values are never shown: pixel strips, maker notes, embedded blocks. */
const maxValueBytes = 1024;

/**
 * Makes a copy that exifreader reads quickly: truncates long arrays to one value, and retypes Exif 3.0 text, which it
 * does not know, as ASCII.
 */
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
