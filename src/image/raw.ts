/**
 * In a camera raw file, the full-size JPEG stored beside the sensor data is examined, because it is
 * the result of the camera's own processing.
 *
 * @see Adobe DNG 1.7, TIFF/EP (ISO 12234-2): tags of sensor data. The files of other makers are
 *   TIFF structures with signatures of their own.
 */

import { startsWith } from './bytes.ts';
import { readDirectories, readWholeNumber } from './tiff.ts';

const tags = { subfileType: 0x00fe, photometric: 0x0106, dngVersion: 0xc612 } as const;
/** Colour filter array, and linear raw, which makers also use with compression schemes of their own. */
const sensorData: readonly number[] = [32_803, 34_892];

/** Distinguishes a raw file from an ordinary TIFF by its first directory. */
export function isRawTiff(bytes: Uint8Array): boolean {
  // The signature of Canon's CR2 follows the header.
  if (startsWith(bytes.subarray(8), [0x43, 0x52, 0x02])) return true;
  const { primary } = readDirectories(bytes);
  const photometric = readWholeNumber(primary.get(tags.photometric));
  if (primary.has(tags.dngVersion) || sensorData.includes(photometric ?? 0)) return true;
  // Files from Nikon and Sony start with a reduced copy.
  return readWholeNumber(primary.get(tags.subfileType)) === 1;
}

const maxCandidates = 200;

/** The largest embedded JPEG that decoders can display, found by searching for SOI; null if there is none. */
export function largestJpegIn(bytes: Uint8Array): Uint8Array | null {
  let best: { readonly at: number; readonly pixels: number } | null = null;
  let at = bytes.indexOf(0xff, 1);
  for (let count = 0; at >= 0 && count < maxCandidates; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] !== 0xd8 || bytes[at + 2] !== 0xff) continue;
    count++;
    const frame = readJpegFrame(bytes, at);
    // Only baseline or progressive: the frame of sensor data is lossless.
    const pixels = frame !== null && frame.marker <= 0xc2 ? frame.width * frame.height : 0;
    if (pixels > (best?.pixels ?? 0)) best = { at, pixels };
  }
  return best === null ? null : bytes.subarray(best.at);
}

/** True for SOF0 to SOF15, but not for DHT, JPG and DAC, whose codes lie in the same range. */
export function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Marker and size of the frame of the JPEG file at `start`; null if there is no frame before the first scan. */
export function readJpegFrame(bytes: Uint8Array, start = 0) {
  const word = (at: number) => (bytes[at]! << 8) | bytes[at + 1]!;
  for (let at = start + 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    if (isFrame(marker)) return { marker, height: word(at + 5), width: word(at + 7) };
    if (marker === 0xda || (marker < 0xff && word(at + 2) < 2)) return null;
    // A marker may be preceded by any number of fill bytes.
    at += marker === 0xff ? 1 : 2 + word(at + 2);
  }
  return null;
}
