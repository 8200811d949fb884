import type { PictureNote } from './picture.ts';

/** What the structure of a file says before a pixel is decoded, for the formats beside JPEG and PNG. */
export interface FileFacts {
  /** In pixels, as stored: before any turn. */
  readonly width: number;
  readonly height: number;
  readonly bitsPerSample: number;
  /** Transparency included. */
  readonly channels: number;
  readonly colourSpace: string;
  readonly hasAlpha: boolean;
  /** An embedded colour profile. */
  readonly icc: Uint8Array | null;
  /** The turn that the format itself states, 1..8 as EXIF numbers them; the decoder obeys it. Null where EXIF's counts. */
  readonly ownOrientation: number | null;
  /** What was left out of the file. */
  readonly notes: readonly PictureNote[];
  /** TIFF structures, without the `Exif\0\0` before them. */
  readonly exif: readonly Uint8Array[];
  readonly xmp: readonly Uint8Array[];
  readonly comments: readonly string[];
  /** Content credentials (C2PA) are there. */
  readonly hasCredentials: boolean;
  /** Position behind the picture. */
  readonly endOffset: number;
}

/** What most files are; each format states its own size. */
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
