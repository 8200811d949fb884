/** Generators also declare themselves in the pixels: text in the lowest bits, the open watermark, visible marks. */

import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { marks } from '../../../src/provenance/watermark.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { withDrawing, withSquares } from '../../fixtures/visible-mark.ts';
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
    ['by a photographer', 'stealth_pnginfo', Buffer.from('A prompt answer, please.')],
  ])('%s declares nothing', async (_, signature, text) => {
    expect(await declarationsOf(await withHidden(signature, text, [3]))).toEqual([]);
  });
});

describe('the open watermark', () => {
  test.each(marks)('of $generator is read from a PNG', async ({ generator, bits }) => {
    const found = { origin: 'ai-generated', place: 'pixels', field: 'dwtDct' };
    expect(await declarationsOf(await toPng(withWatermark(data, size, bits)))).toMatchObject([
      { ...found, generator, assurance: 'watermark' },
    ]);
  });

  test('with another message, or missing, declares nothing', async () => {
    const other = Array.from('Acme', (letter) => letter.charCodeAt(0) & 1);

    expect(await declarationsOf(await toPng(withWatermark(data, size, other)))).toEqual([]);
    expect(await declarationsOf(scene)).toEqual([]);
  });

  test('in a uniform picture declares nothing', async () => {
    expect(await declarationsOf(await toPng(new Uint8Array(data.length).fill(90)))).toEqual([]);
  });
});

describe('the visible mark', () => {
  const gemini = {
    origin: 'ai-generated',
    place: 'visible-mark',
    field: 'lower right',
    generator: 'Google Gemini',
    assurance: 'watermark',
  };
  const dallE = { ...gemini, generator: 'DALL-E 2' };
  const flat = (level: number) => new Uint8Array(data.length).fill(level);
  const saved = (rgb: Uint8Array, share: number, quality: number) =>
    sharp(rgb, { raw: { ...size, channels: 3 } })
      .resize(Math.round(size.width * share))
      .jpeg({ quality })
      .toBuffer();
  const star = { side: 48, margin: 32 };
  const colourScale = [0, 60, 120, 180, 240].map((level) => [255, level, 255 - level] as const);

  test.each([
    ['on a scene', withDrawing(data, size, star)],
    ['in the later place', withDrawing(data, size, { side: 48, margin: 96, opacity: 0.3 })],
    ['on black', withDrawing(flat(0), size, star)],
    ['on light grey', withDrawing(flat(240), size, star)],
  ])('of Gemini is recognised %s', async (_, rgb) => {
    expect(await declarationsOf(await toPng(rgb))).toMatchObject([gemini]);
    expect(await declarationsOf(await saved(rgb, 0.6, 75))).toMatchObject([gemini]);
  });

  test('of DALL-E 2 is recognised', async () => {
    const rgb = withSquares(data, size);

    expect(await declarationsOf(await toPng(rgb))).toMatchObject([dallE]);
    expect(await declarationsOf(await saved(rgb, 0.6, 75))).toMatchObject([dallE]);
  });

  test.each([
    ['an opaque star', withDrawing(data, size, { ...star, opacity: 1 })],
    ['a yellow star', withDrawing(data, size, { ...star, colour: [255, 255, 0] })],
    ['a star elsewhere', withDrawing(data, size, { ...star, margin: 180 })],
    ['a star on white', withDrawing(flat(255), size, star)],
    ['a snowflake', withDrawing(data, size, { ...star, covers: isInRay })],
    ['a disc', withDrawing(data, size, { ...star, covers: (x, y) => Math.hypot(x, y) < 1 / 2 })],
    ['a bright corner', withDrawing(data, size, { side: 80, margin: 0, covers: () => true })],
    ['a colour scale', withSquares(data, size, colourScale)],
  ])('%s is not a mark', async (_, rgb) => {
    expect(await declarationsOf(await toPng(rgb))).toEqual([]);
  });
});

/** Three rays through the centre, like a snowflake. */
function isInRay(x: number, y: number): boolean {
  return [0, 1, 2].some((turn) => {
    const angle = (turn * Math.PI) / 3;
    const along = x * Math.cos(angle) + y * Math.sin(angle);
    const off = y * Math.cos(angle) - x * Math.sin(angle);
    return Math.abs(along) < 1 / 2 && Math.abs(off) < 0.06;
  });
}

function toPng(rgb: Uint8Array): Promise<Buffer> {
  return sharp(rgb, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
}

/** Column by column: the signature, the number of bits, the bytes. */
async function withHidden(signature: string, bytes: Buffer, used: readonly number[]) {
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
