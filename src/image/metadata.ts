/** What the file says about itself, as plain JSON: every text is foreign and may be a lie. */

/** Tags by name; numbers stay numbers, everything else is text. */
export type Tags = Readonly<Record<string, string | number>>;

export interface Metadata {
  /** EXIF tags by name, without positions (see `hasGps`), thumbnails and maker notes. */
  readonly exif: Tags;
  readonly xmp: Tags;
  readonly iptc: Tags;
  /** tEXt, zTXt and iTXt of a PNG by keyword: generators leave their prompt here. */
  readonly pngText: Readonly<Record<string, string>>;
  /** True when the file holds a position. The position itself is never kept. */
  readonly hasGps: boolean;
  readonly hasThumbnail: boolean;
  readonly software: string | null;
  readonly cameraMake: string | null;
  readonly cameraModel: string | null;
  /** As the camera wrote it, without a time zone: `2026-03-01T12:00:00`; the text itself when it is written otherwise. */
  readonly takenAt: string | null;
  /** IPTC NewsCodes URI, such as `http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia`. */
  readonly digitalSourceType: string | null;
  /** What could not be read or was left out, one sentence each. */
  readonly warnings: readonly string[];
}
