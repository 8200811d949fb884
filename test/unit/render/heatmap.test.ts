import sharp from 'sharp';
import { expect, test } from 'vitest';
import { mapNames } from '../../../src/detectors/result.ts';
import {
  legendColour,
  renderHeatmaps,
  renderRawMaps,
} from '../../../src/render/heatmap/heatmap.ts';
import { makeMaps, makePicture } from '../present/examination.ts';

test.each([
  [200, 150],
  [65, 300],
  [301, 65],
])('heatmaps of a %i x %i picture are palette PNGs of exactly that size', async (width, height) => {
  const maps = makeMaps({ width, height, cellPx: 32 }, (u) => u);
  const files = await renderHeatmaps(makePicture(width, height), maps);

  for (const name of mapNames) {
    const kind = { format: 'png', channels: 3, isPalette: true };
    expect(await sharp(files[name]).metadata()).toMatchObject({ ...kind, width, height });
  }
});

test('raw maps contain one value per cell, unchanged', async () => {
  const maps = makeMaps({ width: 97, height: 70, cellPx: 16 }, (u, v) => u * v);

  const { fake } = await renderRawMaps(maps);

  const { data, info } = await sharp(fake)
    .toColourspace('grey16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([7, 5]);
  expect(new Uint16Array(data.buffer, data.byteOffset, 35)).toEqual(maps.values.fake);
});

test('a picture above 3 megapixels is drawn in blocks of mean brightness, with the region framed', async () => {
  const size = { width: 2001, height: 1801 };
  const luma = Uint8Array.from({ length: size.width * size.height }, (_, at) => 100 + (at % 7));
  const scene = makePicture(size.width, size.height);
  const maps = makeMaps({ ...size, cellPx: 16 }, (u) => u);
  const outline = { left: 500, top: 400, width: 300, height: 200, share: 0.02 };
  const { fake } = await renderHeatmaps({ ...scene, luma }, maps, { outlines: [outline] });

  const { data, info } = await sharp(fake).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray(3 * (y * 2001 + x)).subarray(0, 3)];
  expect([info.width, info.height, info.channels]).toEqual([2001, 1801, 3]);
  expect(at(1000, 900)).toEqual(at(1001, 901));
  expect(at(499, 500)).toEqual([255, 255, 255]);
  expect(at(2000, 1800)).toEqual(at(2000, 0));
  expect(fake.length).toBeLessThan(500_000);
});

test('a pixel that differs slightly from all around does not show, and a strong one does within a step', async () => {
  const [width, height] = [200, 150];
  const maps = makeMaps({ width, height, cellPx: 32 }, () => 0);
  const draw = async (speck: number, around = 100) => {
    const luma = new Uint8Array(width * height).fill(around).fill(speck, 10_100, 10_101);
    const { fake } = await renderHeatmaps({ ...makePicture(width, height), luma }, maps);
    return sharp(fake).greyscale().raw().toBuffer();
  };

  const [even, slight, strong] = [await draw(100), await draw(125), await draw(255)];

  expect(slight).toEqual(even);
  const changed = [...strong.keys()].filter((at) => strong[at] !== even[at]);
  expect(changed).toEqual([10_100]);
  const [bright] = await draw(255, 255);
  // The tolerance of `reproduce` for heatmaps from earlier versions.
  expect(bright! - strong[10_100]!).toBeLessThan(0.15 * 255);
});

test('every place is framed and numbered, inside a large frame or above a small one', async () => {
  const maps = makeMaps({ width: 256, height: 192, cellPx: 32 }, () => 0);
  const large = { left: 20, top: 20, width: 100, height: 100, share: 0.2 };
  const small = { left: 180, top: 100, width: 20, height: 20, share: 0.01 };
  const { fake } = await renderHeatmaps(makePicture(256, 192), maps, { outlines: [large, small] });

  const grey = await sharp(fake).greyscale().raw().toBuffer();
  // Rows of five dots of two pixels each, on the background of a number.
  const dots = (left: number, top: number) =>
    Array.from({ length: 5 }, (_, row) =>
      Array.from({ length: 3 }, (__, column) =>
        grey[(top + 2 * row) * 256 + left + 2 * column]! > 200 ? '#' : '.',
      ).join(''),
    );
  expect(dots(22, 22)).toEqual(['.#.', '##.', '.#.', '.#.', '###']);
  expect(dots(182, 88)).toEqual(['###', '..#', '###', '#..', '###']);
});

test('in greyscale, high values are brighter than low ones over any content', async () => {
  const picture = makePicture(256, 192);
  const maps = makeMaps({ width: 256, height: 192, cellPx: 32 }, (u) => (u > 0.5 ? 0.9 : 0.1));
  const { fake } = await renderHeatmaps(picture, maps);

  const grey = await sharp(fake).greyscale().raw().toBuffer();
  const columns = (from: number, to: number) =>
    Array.from(grey).filter((_, i) => i % 256 >= from && i % 256 < to);
  expect(Math.max(...columns(0, 96))).toBeLessThan(Math.min(...columns(160, 256)));
});

test('over any brightness, a rising value changes the colour smoothly and never darkens it', async () => {
  const size = { width: 256, height: 4096 };
  const luma = Uint8Array.from({ length: size.width * size.height }, (_, i) => i % 256);
  const scene = makePicture(size.width, size.height);
  const maps = makeMaps({ ...size, cellPx: 16 }, (_, v) => v);
  const { fake } = await renderHeatmaps({ ...scene, luma }, maps);

  const { data } = await sharp(fake).raw().toBuffer({ resolveWithObject: true });
  const grey = (at: number) => 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  const below = 3 * size.width;
  let largestStep = 0;
  let deepestFall = 0;
  for (let at = 0; at + below < data.length; at++) {
    largestStep = Math.max(largestStep, Math.abs(data[at + below]! - data[at]!));
    if (at % 3 === 0) deepestFall = Math.max(deepestFall, grey(at) - grey(at + below));
  }
  // One of 25 steps.
  expect(largestStep).toBeLessThanOrEqual(24);
  expect(deepestFall).toBeLessThanOrEqual(1);
});

test('the picture stays visible under low and high values', async () => {
  const picture = makePicture(256, 192);
  for (const value of [0.05, 0.95]) {
    const maps = makeMaps({ width: 256, height: 192, cellPx: 32 }, () => value);
    const { fake } = await renderHeatmaps(picture, maps);

    const seen = await sharp(fake).greyscale().raw().toBuffer();
    expect(correlation(seen, picture.luma)).toBeGreaterThan(0.95);
    expect(spread(seen) / spread(picture.luma)).toBeGreaterThan(0.15);
  }
});

test('the legend shows the colours of a heatmap over middle grey', async () => {
  const size = { width: 64, height: 64 };
  const grey = { ...makePicture(64, 64), luma: new Uint8Array(64 * 64).fill(128) };
  const maps = makeMaps({ ...size, cellPx: 64 }, () => 200.5 / 256);
  const { real } = await renderHeatmaps(grey, maps);

  const pixel = await sharp(real).raw().toBuffer();
  expect(`#${pixel.subarray(0, 3).toString('hex')}`).toBe(legendColour(200 / 255));
});

function mean(values: Uint8Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function spread(values: Uint8Array): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / values.length);
}

function correlation(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [mean(one), mean(other)];
  const product = one.reduce((sum, value, i) => sum + (value - a) * (other[i]! - b), 0);
  return product / one.length / spread(one) / spread(other);
}
