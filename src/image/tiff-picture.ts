/** Reads the first picture of a TIFF file. @see TIFF 6.0, section 8; ICC.1:2022, B.4, for the profile tag. */

import { failure } from '../contract/failure-reasons.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { readDirectories, readWholeNumber } from './tiff.ts';

const tags = {
  subfileType: 0x00fe,
  width: 0x0100,
  height: 0x0101,
  bitsPerSample: 0x0102,
  photometric: 0x0106,
  samplesPerPixel: 0x0115,
  extraSamples: 0x0152,
  icc: 0x8773,
  /** C2PA Technical Specification 2.2, A.3.4. */
  credentials: 0xcd41,
} as const;
const colourSpaces = ['grey', 'grey', 'RGB', 'palette', 'grey', 'CMYK', 'YCbCr', 'other', 'Lab'];

/** @throws {ForensicsError} `image_unreadable`. */
export function readTiff(bytes: Uint8Array): FileFacts {
  const { primary, thumbnail } = readDirectories(bytes);
  const number = (tag: number) => readWholeNumber(primary.get(tag));
  const [width, height] = [number(tags.width), number(tags.height)];
  if (width === null || height === null) {
    throw failure('damaged', { format: 'TIFF', what: 'has no readable directory' });
  }
  const channels = number(tags.samplesPerPixel) ?? 1;
  // Whether the second directory is another page, rather than a reduced copy or a mask.
  const isPage = ((readWholeNumber(thumbnail.get(tags.subfileType)) ?? 0) & 5) === 0;
  const colourSpace = colourSpaces[number(tags.photometric) ?? 2] ?? 'other';
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample: number(tags.bitsPerSample) ?? 1,
    channels,
    colourSpace,
    hasAlpha: primary.has(tags.extraSamples),
    icc: primary.get(tags.icc)?.bytes ?? null,
    notes: thumbnail.has(tags.width) && isPage ? ['first_page'] : [],
    // XMP, IPTC and Photoshop resources are fields of the directory, and are read from there.
    exif: [bytes],
    hasCredentials: primary.has(tags.credentials),
    endOffset: bytes.length,
  };
}
