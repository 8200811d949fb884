import { expect, test } from 'vitest';
import { inRows, luminanceTable, nearestQuality } from '../../../src/image/jpeg-quality.ts';
import { readJpeg } from '../../../src/image/jpeg-structure.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';

const scene = fromScene(drawScene({ width: 65, height: 65, seed: 7 }));

test('nearestQuality recovers every quality from a JPEG saved by sharp', async () => {
  const qualities = Array.from({ length: 100 }, (_, i) => i + 1);

  const read = await Promise.all(
    qualities.map(async (quality) => {
      const jpeg = await scene.clone().jpeg({ quality }).toBuffer();
      return readJpeg(jpeg).structure.quality;
    }),
  );

  expect(read).toEqual(qualities.map((value) => ({ value, distance: 0 })));
});

test('the table for quality 75 matches the one libjpeg writes', () => {
  // The DQT segment of any JPEG saved by cjpeg with default quality.
  const published = Buffer.from(
    '080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a' +
      '1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432',
    'hex',
  );

  expect(luminanceTable(75)).toEqual([...published]);
});

test('quality 50 is the base table of ITU-T T.81', () => {
  expect(luminanceTable(50).slice(0, 10)).toEqual([16, 11, 12, 14, 12, 10, 16, 14, 13, 14]);
  expect(nearestQuality(luminanceTable(50))).toEqual({ value: 50, distance: 0 });
});

test('a non-standard table gets the nearest setting and a distance', () => {
  const steps = luminanceTable(80).with(0, luminanceTable(80)[0]! + 32);

  expect(nearestQuality(steps)).toEqual({ value: 80, distance: 0.5 });
});

test('a table from another encoder is not taken for an exact match', async () => {
  const jpeg = await scene.clone().jpeg({ quality: 60, mozjpeg: true }).toBuffer();

  expect(readJpeg(jpeg).structure.quality?.distance).toBeGreaterThan(1);
});

test('zig-zag order matches Figure A.6 of ITU-T T.81', () => {
  const positions = inRows(Array.from({ length: 64 }, (_, position) => position));

  expect(positions).toEqual(
    [
      [0, 1, 5, 6, 14, 15, 27, 28],
      [2, 4, 7, 13, 16, 26, 29, 42],
      [3, 8, 12, 17, 25, 30, 41, 43],
      [9, 11, 18, 24, 31, 40, 44, 53],
      [10, 19, 23, 32, 39, 45, 52, 54],
      [20, 22, 33, 38, 46, 51, 55, 60],
      [21, 34, 37, 47, 50, 56, 59, 61],
      [35, 36, 48, 49, 57, 58, 62, 63],
    ].flat(),
  );
});
