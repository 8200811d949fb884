import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { differingParts } from '../../../src/detectors/thumbnail-difference.ts';
import { align } from '../../../src/image/alignment.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { toLuma } from '../../../src/image/pixels.ts';
import { findFingerprint } from '../../../src/image/keypoints.ts';
import { mapNames } from '../../../src/detectors/result.ts';
import { printPictures, renderHeatmaps } from '../../../src/render/heatmap/heatmap.ts';
import { placeFigure } from '../../../src/render/pdf/draw-pictures.ts';
import { layBeside } from '../../../src/render/heatmap/frames.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import { makeMaps, makePicture } from '../present/examination.ts';

test.each([5, 6, 7, 8])(
  'heatmaps in the stored orientation %i are printed upright',
  async (orientation) => {
    const scene = makePicture(480, 360);
    const picture = { ...scene, facts: { ...scene.facts, orientation } };
    const maps = makeMaps({ width: 480, height: 360, cellPx: 32 }, (u, v) => u * v);
    const upright = await renderHeatmaps(picture, maps);
    const stored = await renderHeatmaps(picture, maps, { heatmapOrientation: 'stored' });

    const fromUpright = await printPictures(picture, maps, upright);
    const fromStored = await printPictures(picture, maps, stored, 'stored');

    for (const name of mapNames) {
      expect(Buffer.compare(fromStored.heatmaps[name], fromUpright.heatmaps[name])).toBe(0);
      expect(fromStored.digests[name]).not.toBe(fromUpright.digests[name]);
    }
  },
);

const corner = { left: 20, top: 20, width: 90, height: 90 };

test.each([0, 1])(
  'a mirrored part with %i changed places is placed next to the whole, with as many frames',
  async (changes) => {
    const original = await scenePng({ width: 800, height: 600, seed: 11 });
    const input = await sharp(original).extract(corner).toBuffer();
    const changed = await sharp(original)
      .composite(changes === 0 ? [] : [{ input, left: 400, top: 300 }])
      .png()
      .toBuffer();
    const copy = await sharp(changed)
      .extract({ left: 100, top: 60, width: 600, height: 480 })
      .flop()
      .jpeg({ quality: 70 })
      .toBuffer();
    const [one, other] = await Promise.all([copy, original].map((bytes) => decodePicture(bytes)));
    const alignment = align(await findFingerprint(one!), await findFingerprint(other!))!;
    const pixelsOf = ({ rgb, facts: { width, height } }: NonNullable<typeof one>) => {
      return { width, height, rgb };
    };

    const { jpeg, differing } = await layBeside(pixelsOf(one!), pixelsOf(other!), alignment);

    expect(differing).toBe(changes);
    const { width, height } = await sharp(jpeg).metadata();
    expect(width / height).toBeCloseTo(2 * (600 / 480), 0);
    // Both halves show the same wherever nothing is framed.
    const half = Math.floor(0.49 * width);
    const meansOf = async (left: number) => {
      const cut = { left, top: 0, width: half, height: Math.floor(height / 4) };
      const { channels } = await sharp(jpeg).extract(cut).greyscale().stats();
      return channels[0]!.mean;
    };
    expect(Math.abs((await meansOf(0)) - (await meansOf(width - half)))).toBeLessThan(3);
  },
);

test('the frame covers all of a part pasted into a dark scene', async () => {
  const dark = await sharp(await scenePng({ width: 800, height: 600, seed: 11 }))
    .linear(0.15, 4)
    .png()
    .toBuffer();
  const block = { left: 480, top: 330, width: 160, height: 120 };
  const donor = sharp(dark).extract({ ...block, left: 80, top: 60 });
  const pasted = sharp(dark).composite([{ input: await donor.toBuffer(), ...block }]);
  const parts = differingParts(
    await planeOf(sharp(await pasted.jpeg({ quality: 85 }).toBuffer()), 560, 420),
    await planeOf(sharp(dark), 256, 192),
  );

  // The planes are 0.7 times as large as the scene.
  expect(parts).toEqual([expect.objectContaining({ left: 333, top: 225, width: 117, height: 90 })]);
});

async function planeOf(picture: Sharp, width: number, height: number) {
  const small = picture.clone().resize(width, height).removeAlpha().raw();
  return { width, height, luma: toLuma(await small.toBuffer()) };
}

const box = { width: 230, height: 160 };

test.each([
  [4096, 3072],
  [600, 800],
  [65, 65],
  [65, 4096],
  [4096, 65],
  [4096, 700],
  [200, 1001],
])('a %i x %i picture stays inside its box', (width, height) => {
  const placement = placeFigure({ width, height }, box);

  expect(placement.width).toBeLessThanOrEqual(box.width + 1e-9);
  expect(placement.height).toBeLessThanOrEqual(box.height + 1e-9);
  expect(Math.min(placement.width, placement.height)).toBeGreaterThan(60);
});

test('pixels stay square, and small pictures are enlarged to at most two points per pixel', () => {
  const placement = placeFigure({ width: 65, height: 70 }, box);

  expect(placement).toMatchObject({ width: 130, height: 140, scale: 2, strips: 1 });
});

test('very long pictures are cut into strips with a stated reading order', () => {
  expect(placeFigure({ width: 65, height: 4096 }, box).reading).toBe('leftToRight');
  expect(placeFigure({ width: 4096, height: 65 }, box).reading).toBe('topToBottom');
  expect(placeFigure({ width: 1000, height: 250 }, box).reading).toBeNull();
});
