/** What a generator hides in the pixels declares as well: text in their lowest bits, and the open watermark. */

import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { marks } from '../../../src/provenance/watermark.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { withWatermark } from '../../fixtures/watermark.ts';
import { declarationsOf } from './files.ts';

const scene = await sceneJpeg({ width: 640, height: 480, seed: 4, quality: 95 });
const { data, info } = await sharp(scene).raw().toBuffer({ resolveWithObject: true });
const size = { width: info.width, height: info.height };

const settings = 'Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 5, Size: 512x512';
const novel = JSON.stringify({
  Description: 'a harbour',
  Software: 'NovelAI',
  Comment: '{"steps": 28, "sampler": "k_euler", "seed": 4, "uc": "people"}',
});

describe('text in the lowest bits', () => {
  test.each([
    ['stealth_pnginfo', Buffer.from(`a harbour\n${settings}`), /web UI/],
    ['stealth_pngcomp', gzipSync(novel), /^NovelAI$/],
    ['stealth_rgbinfo', Buffer.from(novel), /^NovelAI$/],
    ['stealth_rgbcomp', gzipSync(`a harbour\n${settings}`), /web UI/],
  ])('%s is read', async (signature, text, generator) => {
    const channels = signature.includes('png') ? [3] : [0, 1, 2];

    expect(await declarationsOf(await withHidden(signature, text, channels))).toMatchObject([
      { place: 'pixels', field: signature, generator: expect.stringMatching(generator) },
    ]);
  });

  test.each([
    ['of another signature', 'stealth_pngxxxx', Buffer.from(novel)],
    ['that does not unpack', 'stealth_pngcomp', Buffer.from(novel)],
    ['that a photographer left', 'stealth_pnginfo', Buffer.from('A prompt answer, please.')],
  ])('%s declares nothing', async (_, signature, text) => {
    expect(await declarationsOf(await withHidden(signature, text, [3]))).toEqual([]);
  });
});

describe('the open watermark', () => {
  test.each(marks)('of $generator is read from a PNG', async ({ generator, bits }) => {
    expect(await declarationsOf(await toPng(withWatermark(data, size, bits)))).toMatchObject([
      {
        origin: 'ai-generated',
        place: 'pixels',
        field: 'dwtDct',
        generator,
        assurance: 'watermark',
      },
    ]);
  });

  test('of another message, and none, declare nothing', async () => {
    const other = Array.from('Acme', (letter) => letter.charCodeAt(0) & 1);

    expect(await declarationsOf(await toPng(withWatermark(data, size, other)))).toEqual([]);
    expect(await declarationsOf(scene)).toEqual([]);
  });

  test('of a picture of one colour declares nothing', async () => {
    expect(await declarationsOf(await toPng(new Uint8Array(data.length).fill(90)))).toEqual([]);
  });
});

function toPng(rgb: Uint8Array): Promise<Buffer> {
  return sharp(rgb, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
}

/** Column by column: the signature, the number of bits, the bytes. */
async function withHidden(
  signature: string,
  bytes: Buffer,
  used: readonly number[],
): Promise<Buffer> {
  const rgba = await sharp(data, { raw: { ...size, channels: 3 } })
    .ensureAlpha()
    .raw()
    .toBuffer();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 * bytes.length);
  for (const [i, byte] of Buffer.concat([Buffer.from(signature), length, bytes]).entries()) {
    for (let bit = 0; bit < 8; bit++) {
      const index = 8 * i + bit;
      const pixel = Math.floor(index / used.length);
      const [x, y] = [Math.floor(pixel / size.height), pixel % size.height];
      const at = 4 * (y * size.width + x) + used[index % used.length]!;
      rgba[at] = (rgba[at]! & 0xfe) | ((byte >> (7 - bit)) & 1);
    }
  }
  const image = sharp(rgba, { raw: { ...size, channels: 4 } });
  return (used.length === 1 ? image : image.removeAlpha()).png().toBuffer();
}
