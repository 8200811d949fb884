import type { PictureNote } from './picture.ts';
import type { Size } from './pixels.ts';

/** Facts from the structure of a file, before any pixel is decoded or rotated, for formats other than JPEG and PNG. */
export interface FileFacts extends Size {
  readonly bitsPerSample: number;
  /** Including the one for transparency. */
  readonly channels: number;
  readonly colourSpace: string;
  readonly hasAlpha: boolean;
  readonly icc: Uint8Array | null;
  /** The format's own orientation, 1..8 as in EXIF, which the decoder applies; null if EXIF determines it. */
  readonly ownOrientation: number | null;
  /** What was not read from the file. */
  readonly notes: readonly PictureNote[];
  /** TIFF structures, without the leading `Exif\0\0`. */
  readonly exif: readonly Uint8Array[];
  readonly xmp: readonly Uint8Array[];
  readonly comments: readonly string[];
  readonly hasCredentials: boolean;
  readonly endOffset: number;
}

/** Values that apply to most files; each format adds its own size. */
export const ordinaryFile = {
  bitsPerSample: 8,
  icc: null,
  ownOrientation: null,
  notes: [],
  exif: [],
  xmp: [],
  comments: [],
  hasCredentials: false,
} as const satisfies Partial<FileFacts>;
