/**
 * The only place that knows exifreader. It writes values as people read them, `1/125` and `Flash fired`. A block is handed over
 * as the smallest file that it accepts, so that no length field of the real file is ever followed by it.
 */

// Node.js finds no named exports in its minified CommonJS, so the default import is the only one that works.
/* oxlint-disable import/no-named-as-default-member */

import ExifReader from 'exifreader';
import { readExifClues } from './exif.ts';
import { isEmptyBlock, readDirectories, types } from './tiff.ts';

export interface FoundTags {
  /** Numbers and texts; anything else is dropped later. */
  readonly tags: ReadonlyMap<string, unknown>;
  readonly hasThumbnail: boolean;
}

/** Tags without facts for a reader: offsets in the file, and raw blocks. */
const structuralTags: ReadonlySet<string> = new Set(
  [
    ['Exif IFD Pointer', 'GPS Info IFD Pointer', 'Interoperability IFD Pointer'],
    ['MakerNote', 'IPTC-NAA', 'ApplicationNotes', 'ICC_Profile', 'ImageSourceData'],
    ['PhotoshopSettings', 'Padding', 'OffsetSchema'],
  ].flat(),
);

/** Texts are our own reading: exifreader shows what stands behind their end. @throws whatever it throws on a broken block. */
export function readExif(tiff: Uint8Array): FoundTags {
  if (isEmptyBlock(tiff)) return { tags: new Map(), hasThumbnail: false };
  const { exif = {}, Thumbnail } = ExifReader.load(asEarlierExif(tiff), {
    expanded: true,
    excludeTags: { makerNotes: true, composite: true, xmp: true, iptc: true, icc: true },
  });
  const texts = new Map(readExifClues([tiff]).texts.map((text) => [text.tag, text]));
  // The group is there whenever the second directory is; a picture only when its range is inside the block.
  const hasThumbnail = Thumbnail?.image !== undefined;
  const tags = new Map<string, unknown>();
  for (const [name, tag] of Object.entries(exif)) {
    if (structuralTags.has(name)) continue;
    tags.set(name, texts.get('id' in tag ? tag.id : -1)?.text ?? describeTag(tag));
  }
  for (const { field, text } of texts.values()) {
    if (!field.startsWith('0x') && !tags.has(field)) tags.set(field, text);
  }
  if (tags.size === 0 && !hasThumbnail) throw new Error('An EXIF block without a tag.');
  return { tags, hasThumbnail };
}

/** Longer values that are no text describe nothing that is shown: strips of pixels, maker notes, blocks of other kinds. */
const maxValueBytes = 1024;

/**
 * A copy that exifreader can read quickly: long values are cut to one, and texts of Exif 3.0, whose type it does not know, are texts
 * of earlier versions.
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
