import { expect, test } from 'vitest';
import { saveJpeg, scalePixels } from '../../../src/image/codec.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { drawScene } from '../../fixtures/pictures.ts';

const scene = drawScene({ width: 200, height: 120, seed: 3 });

test.each([60, 75, 90])('a picture saved at %i has that quality, with chroma halved', async (q) => {
  const bytes = await saveJpeg(scene, q);

  const { facts } = await decodePicture(bytes);
  expect(facts).toMatchObject({ format: 'jpg', width: 200, height: 120 });
  expect(facts.jpeg).toMatchObject({ quality: { value: q, distance: 0 }, progressive: false });
  expect(facts.jpeg!.chromaSubsampling).toBe('4:2:0');
});

test('saving leaves the input unchanged and is deterministic', async () => {
  const before = scene.rgb.slice();

  const [one, other] = await Promise.all([saveJpeg(scene, 75), saveJpeg(scene, 75)]);

  expect(one).toEqual(other);
  expect(scene.rgb).toEqual(before);
});

test('scaling down preserves the mean colour', async () => {
  const half = await scalePixels(scene, { width: 100, height: 60 });

  expect(half).toMatchObject({ width: 100, height: 60 });
  expect(half.rgb).toHaveLength(3 * 100 * 60);
  for (const channel of [0, 1, 2]) {
    expect(meanOf(half.rgb, channel)).toBeCloseTo(meanOf(scene.rgb, channel), 0);
  }
});

test('a uniform colour stays the same at any size', async () => {
  const grey = { width: 64, height: 64, rgb: new Uint8Array(3 * 64 * 64).fill(117) };

  const { rgb } = await scalePixels(grey, { width: 37, height: 90 });

  expect(new Set(rgb)).toEqual(new Set([117]));
});

function meanOf(rgb: Uint8Array, channel: number): number {
  let sum = 0;
  for (let at = channel; at < rgb.length; at += 3) sum += rgb[at]!;
  return sum / (rgb.length / 3);
}
