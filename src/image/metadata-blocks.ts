/** What the containers hand over of their metadata, and what may be lost on the way. */

import type { DeclarationPlace } from '../contract/vocabulary.ts';

export type MetadataPlace = Exclude<DeclarationPlace, 'c2pa'>;

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
  /** `comment`: that of a JPEG or GIF. `pixels`: hidden in their lowest bits. */
  readonly place: 'png-text' | 'comment' | 'pixels';
  /** As the file names it; `Comment` for a place without names. */
  readonly keyword: string;
  readonly text: string;
}

/** What could not be read of a file, or was left out: a code with values for each case. */
export interface WarningValues {
  readonly texts_cut: { readonly place: MetadataPlace; readonly characters: number };
  readonly entries_cut: { readonly place: MetadataPlace; readonly entries: number };
  readonly block_too_large: { readonly place: MetadataPlace; readonly bytes: number };
  readonly block_unreadable: { readonly place: MetadataPlace };
  readonly block_read_in_part: { readonly place: MetadataPlace };
  readonly extended_xmp_not_read: NoValues;
  /** Some of its parts are missing; the others are read. */
  readonly extended_xmp_incomplete: NoValues;
  /** It is not the one that the packet names, or its checksum is another. It is read. */
  readonly extended_xmp_differs: NoValues;
  readonly png_chunks_cut: NoValues;
  /** `keyword`: foreign text. */
  readonly png_text_not_inflated: { readonly keyword: string };
  readonly thumbnail_unreadable: NoValues;
  readonly credentials_elsewhere: NoValues;
  readonly credentials_removed: NoValues;
  readonly not_read_by_earlier_version: NoValues;
}

type NoValues = Readonly<Record<string, never>>;

export type WarningCode = keyof WarningValues;

export type Warning = {
  readonly [Code in WarningCode]: { readonly code: Code; readonly values: WarningValues[Code] };
}[WarningCode];
