/** Picture formats, identified by content and never by file name. The first two are those of the API specification. */
export const contractFormats = ['jpg', 'png'] as const;
export const formats = [
  ...contractFormats,
  ...(['webp', 'heic', 'avif', 'tiff', 'gif', 'bmp', 'jp2', 'jxl', 'raw'] as const),
] as const;
export type Format = (typeof formats)[number];

/** Display names, the same in every language. */
export const formatNames: Readonly<Record<Format, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  webp: 'WebP',
  heic: 'HEIC',
  avif: 'AVIF',
  tiff: 'TIFF',
  gif: 'GIF',
  bmp: 'BMP',
  jp2: 'JPEG 2000',
  jxl: 'JPEG XL',
  raw: 'RAW',
};

/** IANA media types; `raw` has Adobe's own type. */
export const mediaTypes: Readonly<Record<Format, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  avif: 'image/avif',
  tiff: 'image/tiff',
  gif: 'image/gif',
  bmp: 'image/bmp',
  jp2: 'image/jp2',
  jxl: 'image/jxl',
  raw: 'image/x-adobe-dng',
};
