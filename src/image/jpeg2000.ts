/** Reads the header of a JPEG 2000 file or codestream. @see ITU-T T.800: Annex A (SIZ), Annex I (JP2). */

import { failure } from '../contract/failure-reasons.ts';
import { boxesOf, endOfBoxes, hasCredentialsBox, readBoxes, uuidBoxes } from './boxes.ts';
import { dataView } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

/** Adobe XMP specification part 3, 1.1.4; then the box in which several programs store EXIF. */
const ids = {
  xmp: 'be7acfcb97a942e89c71999491e3afac',
  exif: '4a706754696666457869662d3e4a5032',
} as const;

/** @throws {ForensicsError} `image_unreadable`. */
export function readJpeg2000(bytes: Uint8Array): FileFacts {
  const isBare = bytes[0] === 0xff;
  const boxes = isBare ? [] : readBoxes(bytes);
  const stream = isBare ? bytes : boxesOf(boxes, 'jp2c')[0];
  // SOC comes first, then SIZ: length, capabilities and the reference grid.
  if (stream === undefined || stream.length < 42 || stream[3] !== 0x51) {
    throw failure('damaged', { format: 'JPEG 2000', what: 'contains no picture data' });
  }
  const view = dataView(stream);
  const channels = view.getUint16(40);
  const header = boxesOf(boxes, 'jp2h').flatMap((data) => readBoxes(data));
  const profile = boxesOf(header, 'colr').find((data) => data[0] === 2);
  const hasAlpha = channels === 2 || channels === 4;
  return {
    ...ordinaryFile,
    width: view.getUint32(8) - view.getUint32(16),
    height: view.getUint32(12) - view.getUint32(20),
    bitsPerSample: 1 + ((stream[42] ?? 7) & 0x7f),
    channels,
    colourSpace: channels < 3 ? 'grey' : 'RGB',
    hasAlpha,
    icc: profile?.subarray(3) ?? null,
    // For JPEG 2000, no viewer applies the EXIF orientation.
    ownOrientation: 1,
    exif: uuidBoxes(boxes, ids.exif),
    xmp: uuidBoxes(boxes, ids.xmp),
    hasCredentials: hasCredentialsBox(boxes),
    endOffset: isBare ? bytes.length : endOfBoxes(boxes),
  };
}
