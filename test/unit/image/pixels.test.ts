import { expect, test } from 'vitest';
import { cutPixels, halvePixels, toLuma, toPlanes } from '../../../src/image/pixels.ts';

/** A picture whose red channel numbers its pixels. */
function counted(width: number, height: number) {
  const rgb = new Uint8Array(3 * width * height);
  for (let at = 0; at < width * height; at++) rgb[3 * at] = at;
  return toPlanes({ width, height, rgb });
}

function reds({ rgb }: { rgb: Uint8Array }): number[] {
  return [...rgb].filter((_, at) => at % 3 === 0);
}

test('halving takes rounded means of two by two pixels and drops an odd edge', () => {
  const half = halvePixels(counted(5, 5));

  expect([half.width, half.height]).toEqual([2, 2]);
  // (0 + 1 + 5 + 6) / 4 = 3, (2 + 3 + 7 + 8) / 4 = 5, ...
  expect(reds(half)).toEqual([3, 5, 13, 15]);
});

test('a mean that ends in one half is rounded up', () => {
  const rgb = Uint8Array.from([1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

  expect([...halvePixels(toPlanes({ width: 2, height: 2, rgb })).rgb]).toEqual([1, 0, 0]);
});

test('a crop has exactly the pixels of its box', () => {
  const part = cutPixels(counted(4, 4), { left: 1, top: 2, width: 2, height: 2 });

  expect(reds(part)).toEqual([9, 10, 13, 14]);
  expect([part.width, part.height]).toEqual([2, 2]);
});

test('luma is the rounded weighted sum of BT.601', () => {
  const rgb = Uint8Array.of(0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30);

  // 0.299 * 255 = 76.245, 0.587 * 255 = 149.685, 0.114 * 255 = 29.07, 2.99 + 11.74 + 3.42 = 18.15
  expect([...toLuma(rgb)]).toEqual([0, 255, 76, 150, 29, 18]);
});

test('luma of every grey is the grey itself', () => {
  const greys = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));

  expect([...toLuma(greys)]).toEqual(Array.from({ length: 256 }, (_, i) => i));
});
