/** Formats of pictures, told by content and never by name. The first two are those of the interface. */
export const contractFormats = ['jpg', 'png'] as const;
export const formats = [
  ...contractFormats,
  ...(['webp', 'heic', 'avif', 'tiff', 'gif', 'bmp', 'jp2', 'jxl', 'raw'] as const),
] as const;
export type Format = (typeof formats)[number];

/** As people write them, in any language. */
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

/** As the IANA registers them; `raw` as Adobe names its own. */
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
