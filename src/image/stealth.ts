/**
 * Reads text hidden in the lowest bits of the pixels, where NovelAI and an extension of Stable Diffusion web UI store
 * settings: by column, a signature, the number of bits, and the text, plain or gzipped. Lossy saving destroys it.
 */

import { gunzipSync } from 'node:zlib';
import type { RawPixels } from './pixels.ts';
import type { MetadataText } from './metadata-blocks.ts';
import { decodeText } from './bytes.ts';

const signatureBytes = 15;
const maxTextBytes = 1_000_000;

/** Whether the text is in the alpha channel (`png`) or in the colours, and whether it is plain (`info`) or compressed. */
const signature = /^stealth_(png|rgb)(info|comp)$/;

/** Null if there is no signature, or if the bits after it are not text. */
export function readStealthText(pixels: RawPixels): MetadataText | null {
  for (const channels of pixels.channels === 4 ? [[3], [0, 1, 2]] : [[0, 1, 2]]) {
    const read = bytesOf(pixels, channels);
    const keyword = String.fromCharCode(...read(0, signatureBytes));
    const [, place, form] = signature.exec(keyword) ?? [];
    if (place !== (channels.length === 1 ? 'png' : 'rgb')) continue;
    const length = Buffer.from(read(signatureBytes, 4)).readUInt32BE(0) >> 3;
    const bytes = read(signatureBytes + 4, Math.min(length, maxTextBytes));
    const text = form === 'comp' ? unpack(bytes) : decodeText(bytes);
    return text === null ? null : { place: 'pixels', keyword, text };
  }
  return null;
}

/** Reads bytes from the lowest bits of these channels, the most significant bit first; zeros beyond the picture. */
function bytesOf({ data, channels, width, height }: RawPixels, used: readonly number[]) {
  const bitAt = (index: number): number => {
    const pixel = Math.floor(index / used.length);
    const [x, y] = [Math.floor(pixel / height), pixel % height];
    const sample = (y * width + x) * channels + used[index % used.length]!;
    return x < width ? data[sample]! & 1 : 0;
  };
  return (start: number, count: number): Uint8Array =>
    Uint8Array.from({ length: count }, (_, i) => {
      let byte = 0;
      for (let bit = 0; bit < 8; bit++) byte = (byte << 1) | bitAt(8 * (start + i) + bit);
      return byte;
    });
}

function unpack(bytes: Uint8Array): string | null {
  try {
    return decodeText(gunzipSync(bytes, { maxOutputLength: maxTextBytes }));
  } catch {
    return null;
  }
}
