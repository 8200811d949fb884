import { expect, test } from 'vitest';
import { toLuma, toRgb } from '../../../src/image/pixels.ts';

test('luma is the rounded weighted sum of BT.601', () => {
  const rgb = Uint8Array.of(0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30);

  // 0.299 * 255 = 76.245, 0.587 * 255 = 149.685, 0.114 * 255 = 29.07, 2.99 + 11.74 + 3.42 = 18.15
  expect([...toLuma(rgb)]).toEqual([0, 255, 76, 150, 29, 18]);
});

test('luma of every grey is the grey itself', () => {
  const greys = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));

  expect([...toLuma(greys)]).toEqual(Array.from({ length: 256 }, (_, i) => i));
});

test('transparency is composited over white, and reported', () => {
  const data = Uint8Array.of(10, 20, 30, 255, 10, 20, 30, 0, 0, 100, 255, 51);

  const flat = toRgb({ data, channels: 4 });

  // 51 / 255 = 0.2: 0.8 of the white, 0.2 of the colour.
  expect(flat).toEqual({
    rgb: Uint8Array.of(10, 20, 30, 255, 255, 255, 204, 224, 255),
    hadTransparency: true,
  });
});

test('a fully opaque alpha channel changes no sample', () => {
  const data = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : Math.floor(i / 4)));

  const flat = toRgb({ data, channels: 4 });

  expect(flat.hadTransparency).toBe(false);
  expect([...flat.rgb]).toEqual([...data].filter((_, i) => i % 4 !== 3));
});
