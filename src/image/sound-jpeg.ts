/**
 * Determines how many rows of a damaged JPEG are intact, without reimplementing the decoder: it changes bytes and
 * compares the decoded results.
 */

import { decodeWithSharp, type PixelRequest } from './codec.ts';
import { markers } from './jpeg-markers.ts';
import { endOfImage } from './jpeg-pixel-bytes.ts';
import { holdsEveryScan, readJpeg } from './jpeg-structure.ts';

/** The location of the damage is narrowed down to this many bytes, a block or two. */
const precisionBytes = 16;

/**
 * Number of intact rows from the top. 0 if the damage is in an earlier scan or later scans are missing, because then no
 * row is complete.
 *
 * @param request - bytes as written by `jpegPixelBytes`.
 */
export async function soundRowsOfJpeg(request: PixelRequest): Promise<number> {
  const stored = { ...request, orientation: 1 };
  const file = readJpeg(request.bytes);
  const scan = file.segments.findLast(({ marker }) => marker === markers.sos);
  if (scan === undefined || !holdsEveryScan(file)) return 0;
  const cutAt = async (length: number, filler: Uint8Array) => {
    const bytes = Buffer.concat([request.bytes.subarray(0, length), filler, endOfImage]);
    return decodeWithSharp({ ...stored, bytes }, 'none');
  };
  const isSoundUpTo = async (length: number) =>
    (await cutAt(length, nothing)).warnings.every((warning) => !isBadCode(warning));
  let [sound, unsound] = [scan.end, file.endOffset - endOfImage.length];
  if (await isSoundUpTo(unsound)) sound = unsound;
  else if (!(await isSoundUpTo(sound))) return 0;
  while (unsound - sound > precisionBytes) {
    const middle = (sound + unsound) >> 1;
    // oxlint-disable-next-line no-await-in-loop -- each step depends on the previous one
    if (await isSoundUpTo(middle)) sound = middle;
    else unsound = middle;
  }
  // Where the data ends, the decoder continues with zeros or with whatever follows: rows that are equal in both cases
  // are intact.
  const ended = await cutAt(sound, nothing);
  const continued = await cutAt(sound, noise);
  const { width, height, channels, data } = ended.pixels;
  const at = data.findIndex((value, index) => value !== continued.pixels.data[index]);
  return at < 0 ? height : Math.floor(at / (width * channels));
}

const nothing = new Uint8Array();
/** Multiplicative hashing; never produces 0xff. */
const noise = Uint8Array.from(
  { length: 4096 },
  (_, i) => (Math.imul(i + 1, 2654435761) >>> 24) & 0xfe,
);

/** Warnings about invalid data; the others are about truncated data, which is expected where it was cut. */
function isBadCode(warning: string): boolean {
  if (warning.includes('marker 0xd9')) return false;
  return /bad (?:Huffman|arithmetic) code|instead of RST/.test(warning);
}
