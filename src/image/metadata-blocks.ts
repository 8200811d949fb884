/** The metadata blocks that containers return, and the warnings about what could not be read. */

import type { DeclarationPlace } from '../contract/vocabulary.ts';

export type MetadataPlace = Exclude<DeclarationPlace, 'c2pa' | 'visible-mark'>;

/** Metadata blocks, cut out of the container; see `jpeg-metadata.ts` and `png.ts`. Each list is in file order. */
export interface MetadataBlocks {
  /** TIFF structures, without the leading `Exif\0\0`. */
  readonly exif: readonly Uint8Array[];
  /** Complete XMP packets, joined from their parts. */
  readonly xmp: readonly Uint8Array[];
  /** Photoshop image resources, which start with `8BIM` and include IPTC. */
  readonly photoshop: readonly Uint8Array[];
  readonly texts: readonly MetadataText[];
  readonly warnings: readonly Warning[];
}

/** What a file contains besides its picture. */
export interface FileClues extends Pick<MetadataBlocks, 'exif'> {
  /** Offset of the picture's end; for formats that do not mark it (TIFF, RAW, bare codestreams), of the file's end. */
  readonly endOffset: number;
  readonly hasCredentials: boolean;
  /** The index of a JPEG file with several pictures; see `openJpeg`. */
  readonly pictureIndex: { readonly tiff: Uint8Array; readonly base: number } | null;
}

/** Text that the container itself stores, not truncated. */
export interface MetadataText {
  /** `comment`: a comment in a JPEG or GIF. `pixels`: text hidden in the lowest bits of the pixels. */
  readonly place: 'png-text' | 'comment' | 'pixels';
  /** Keyword in the file; `Comment` for places without keywords. */
  readonly keyword: string;
  readonly text: string;
}

export function toComment(text: string): MetadataText {
  return { place: 'comment', keyword: 'Comment', text };
}

/** Codes, with values, for everything that could not be read or was not stored. */
export interface WarningValues {
  readonly texts_cut: { readonly place: MetadataPlace; readonly characters: number };
  readonly entries_cut: { readonly place: MetadataPlace; readonly entries: number };
  readonly block_too_large: { readonly place: MetadataPlace; readonly bytes: number };
  readonly block_unreadable: { readonly place: MetadataPlace };
  readonly block_read_in_part: { readonly place: MetadataPlace };
  readonly extended_xmp_not_read: NoValues;
  /** Some parts are missing; the others were read. */
  readonly extended_xmp_incomplete: NoValues;
  /** The packet is not the one to which the standard packet refers, or its checksum differs. It was read anyway. */
  readonly extended_xmp_differs: NoValues;
  readonly png_chunks_cut: NoValues;
  /** `keyword` is untrusted text. */
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
