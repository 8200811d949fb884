import type { FileClues, MetadataBlocks } from './metadata-blocks.ts';
import type { StoredFacts } from './picture.ts';
import type { Size } from './pixels.ts';

/** What the structure of a file says, before any pixel is decoded or rotated. */
export interface FileFacts extends Size, MetadataBlocks, FileClues, StoredFacts {
  /** The format's own orientation, 1..8 as in EXIF, which its decoder applies; null if EXIF determines it. */
  readonly ownOrientation: number | null;
  /** For JPEG and PNG, only the parts that the pixels need; null for the whole file. */
  readonly pixelBytes: Uint8Array | null;
  /** Number of intact rows of a damaged PNG file, from the top; absent if its rows are interlaced. */
  readonly countSoundRows?: () => Promise<number>;
}

/** Values that apply to most files; each format adds its own size. */
export const ordinaryFile = {
  bitsPerSample: 8,
  iccProfile: null,
  jpeg: null,
  ownOrientation: null,
  notes: [],
  pixelBytes: null,
  exif: [],
  xmp: [],
  photoshop: [],
  texts: [],
  warnings: [],
  hasCredentials: false,
  pictureIndex: null,
} as const satisfies Partial<FileFacts>;
