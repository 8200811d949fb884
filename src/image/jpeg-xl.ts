/**
 * Reads the header of a JPEG XL file or codestream. @see ISO/IEC 18181-1: A.3 (SizeHeader), A.6 (ImageMetadata);
 * 18181-2 for boxes.
 */

import { failure } from '../contract/failure-reasons.ts';
import { boxesOf, endOfBoxes, hasCredentialsBox, readBoxes } from './boxes.ts';
import { dataView, joinBytes } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

/** @throws {ForensicsError} `image_unreadable`. */
export function readJpegXl(bytes: Uint8Array): FileFacts {
  const isBare = bytes[0] === 0xff;
  const boxes = isBare ? [] : readBoxes(bytes);
  const [whole] = isBare ? [bytes] : boxesOf(boxes, 'jxlc');
  // Each part starts with its sequence number.
  const stream = whole ?? joinBytes(boxesOf(boxes, 'jxlp').map((part) => part.subarray(4)));
  if (stream.length < 12) {
    throw failure('damaged', { format: 'JPEG XL', what: 'contains no picture data' });
  }
  const { width, height, orientation, isAnimated } = readHeader(stream);
  return {
    ...ordinaryFile,
    width,
    height,
    channels: 3,
    colourSpace: 'RGB',
    hasAlpha: false,
    ownOrientation: orientation,
    notes: isAnimated ? ['first_frame_of_animation'] : [],
    // The TIFF structure is preceded by its four-byte offset.
    exif: boxesOf(boxes, 'Exif').map((data) =>
      data.subarray(data.length < 4 ? 4 : 4 + dataView(data).getUint32(0)),
    ),
    xmp: boxesOf(boxes, 'xml '),
    hasCredentials: hasCredentialsBox(boxes),
    endOffset: isBare ? bytes.length : endOfBoxes(boxes),
  };
}

const ratios: readonly (readonly [number, number])[] = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];

function readHeader(stream: Uint8Array) {
  let at = 16;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++)
      value += (((stream[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? 8 * (1 + bits(5)) : 1 + bits([9, 13, 18, 30][bits(2)]!));
  const height = side();
  const ratio = ratios[bits(3) - 1];
  const width = ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1]);
  const stored = { width, height };
  const isDefault = bits(1) === 1;
  if (isDefault || bits(1) === 0) return { ...stored, orientation: 1, isAnimated: false };
  const orientation = 1 + bits(3);
  // The intrinsic size and a preview may come before the animation flag.
  const hasWindow = bits(1) === 1;
  const isPlain = !hasWindow && bits(1) === 0;
  return { ...stored, orientation, isAnimated: isPlain && bits(1) === 1 };
}
