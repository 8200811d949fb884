/** The metadata blocks that containers return. */

import type { Warning } from '../contract/provenance.ts';

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
