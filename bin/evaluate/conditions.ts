/** The conditions under which both classes are measured alike, and the steps from a crop to a picture for the engine. */

import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import { localLimits, type Picture } from '../../src/image/picture.ts';

interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Crops are smaller than the service accepts, photographs from cameras larger. */
export const limits = { ...localLimits, minSidePx: 32 };

type Change = (pixels: Pixels) => Promise<Buffer>;

/** Both classes go through the same change. `null` is the unchanged file. */
const conditions = {
  'as is': null,
  'jpeg 95': async (pixels) => open(pixels).jpeg({ quality: 95 }).toBuffer(),
  'jpeg 75': async (pixels) => open(pixels).jpeg({ quality: 75 }).toBuffer(),
  half: async (pixels) => halved(pixels).png().toBuffer(),
  'half, jpeg 80': async (pixels) => halved(pixels).jpeg({ quality: 80 }).toBuffer(),
  'post of 1600 px': async (pixels) => posted(pixels).jpeg({ quality: 80 }).toBuffer(),
} as const satisfies Readonly<Record<string, Change | null>>;
export type Condition = keyof typeof conditions;

/** The picture under each condition, through the product's own decoder. @throws {ForensicsError} if that refuses it. */
export async function* picturesOf(
  path: string,
  names: readonly Condition[],
): AsyncGenerator<readonly [Condition, Picture]> {
  const bytes = await readFile(path);
  // Lossless crops are WebP, but pass as PNG.
  const isWebp = bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  const asIs = isWebp ? null : await decodePicture(bytes, { limits });
  // The product's decoder blocks all but two loaders for this process. Here the data is trusted.
  sharp.unblock({ operation: ['VipsForeignLoadWebpBuffer'] });
  // Damaged files are read as far as possible, as in the product.
  const { data, info } = await sharp(bytes, { failOn: 'none' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = { data, width: info.width, height: info.height };
  for (const name of names) {
    const change: Change | null = conditions[name];
    if (change === null && asIs !== null) yield [name, asIs];
    else {
      const file = await (change === null ? open(pixels).png().toBuffer() : change(pixels));
      yield [name, await decodePicture(file, { limits })];
    }
  }
}

function open({ data, width, height }: Pixels) {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function halved(pixels: Pixels) {
  const width = Math.floor(pixels.width / 2);
  const height = Math.floor(pixels.height / 2);
  return open(pixels).resize({ width, height, fit: 'fill', kernel: 'cubic' });
}

/** As a social network shows it; a smaller picture keeps its size. */
function posted(pixels: Pixels) {
  return open(pixels).resize({
    width: 1600,
    height: 1600,
    fit: 'inside',
    withoutEnlargement: true,
  });
}
