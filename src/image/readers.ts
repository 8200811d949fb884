/**
 * Readers of file structure for every format except JPEG, PNG and RAW. The console uses them to
 * read sizes, so none of them may depend on Node.js.
 */

import { type Format, formatNames } from '../contract/formats.ts';
import { readBmp } from './bmp.ts';
import type { FileFacts } from './file-facts.ts';
import { readGif } from './gif.ts';
import { readHeif } from './heif.ts';
import { readJpegXl } from './jpeg-xl.ts';
import { readJpeg2000 } from './jpeg2000.ts';
import { readTiff } from './tiff-picture.ts';
import { readWebp } from './webp.ts';

/** Each throws a ForensicsError `image_unreadable`. */
export const readers: Readonly<
  Record<Exclude<Format, 'jpg' | 'png' | 'raw'>, (bytes: Uint8Array) => FileFacts>
> = {
  webp: readWebp,
  heic: (bytes) => readHeif(bytes, formatNames.heic),
  avif: (bytes) => readHeif(bytes, formatNames.avif),
  tiff: readTiff,
  gif: readGif,
  bmp: readBmp,
  jp2: readJpeg2000,
  jxl: readJpegXl,
};
