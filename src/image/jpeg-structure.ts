/** The marker segments of a JPEG file, read without decoding a pixel. */

export interface JpegComponent {
  readonly id: number;
  /** Horizontal and vertical sampling factors, 1..4. */
  readonly h: number;
  readonly v: number;
  /** Identifier of the quantisation table, 0..3. */
  readonly quantisationTable: number;
}

export interface QuantisationTable {
  readonly id: number;
  readonly precision: 8 | 16;
  /** 64 steps in zig-zag order, as the file stores them. */
  readonly steps: readonly number[];
}

export interface JpegSegment {
  /** Second byte of the marker: 0xdb for DQT. */
  readonly marker: number;
  /** Position of the marker's 0xff byte in the file. */
  readonly offset: number;
  /** Bytes of the whole segment, marker and length field included; entropy-coded data is not part of SOS. */
  readonly sizeBytes: number;
  /** `SOI`, `APP1 Exif`, `DQT`, ... */
  readonly label: string;
}

export interface JpegStructure {
  readonly progressive: boolean;
  readonly arithmetic: boolean;
  /** Bits a sample. */
  readonly precision: number;
  readonly components: readonly JpegComponent[];
  /** `4:4:4`, `4:2:2`, `4:2:0`, `4:4:0`, `4:1:1`, `4:1:0`, `grey`, or the factors written out (`2x2,1x2,1x1`). */
  readonly chromaSubsampling: string;
  readonly quantisationTables: readonly QuantisationTable[];
  /** The libjpeg setting nearest to the luminance table; null when the file holds no 8-bit table for it. */
  readonly quality: { readonly value: number; readonly distance: number } | null;
  readonly segments: readonly JpegSegment[];
  readonly scans: number;
  /** MCUs between restart markers; 0 when the file uses none. */
  readonly restartInterval: number;
  /** Bytes after the end-of-image marker. */
  readonly trailingBytes: number;
}
