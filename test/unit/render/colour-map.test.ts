import { expect, test } from 'vitest';
import { createUpsampler, legendColour } from '../../../src/render/heatmap/heatmap.ts';
import { makeMaps } from '../present/examination.ts';

test('grey conversion keeps the order of the colours', () => {
  const greys = Array.from({ length: 256 }, (_, at) => {
    const [red = 0, green = 0, blue = 0] = Buffer.from(legendColour(at / 255).slice(1), 'hex');
    // Luma, ITU-R BT.601.
    return 0.299 * red + 0.587 * green + 0.114 * blue;
  });

  expect(greys).not.toContain(0);
  expect(greys).toEqual(greys.toSorted((one, other) => one - other));
});

test('every pixel is the bilinear mean of the four nearest cell centres', () => {
  const size = { width: 53, height: 37 };
  for (const cellPx of [8, 7]) {
    const maps = makeMaps({ ...size, cellPx }, (u, v) => (7 * u * u + 3 * v + 5 * u * v) % 1);
    const fillRow = createUpsampler(size, maps);
    const row = new Uint16Array(size.width);

    for (let y = 0; y < size.height; y++) {
      fillRow(maps.values.fake, y, row);
      for (let x = 0; x < size.width; x++) {
        expect(Math.abs(row[x]! - bilinear(maps, x, y))).toBeLessThanOrEqual(0.5 + 1e-6);
      }
    }
  }
});

test('a uniform map stays uniform, even at both ends of the scale', () => {
  const size = { width: 100, height: 66 };
  for (const value of [0, 0.5, 1]) {
    const maps = makeMaps({ ...size, cellPx: 32 }, () => value);
    const row = new Uint16Array(size.width);
    createUpsampler(size, maps)(maps.values.real, 65, row);

    expect(new Set(row)).toEqual(new Set([Math.round(65535 * value)]));
  }
});

/** The textbook formula in floating point, independent of the code under test. */
function bilinear(maps: ReturnType<typeof makeMaps>, x: number, y: number): number {
  const { cellPx, columns, rows, values } = maps;
  const at = (column: number, row: number) => {
    const c = Math.min(Math.max(column, 0), columns - 1);
    const r = Math.min(Math.max(row, 0), rows - 1);
    return values.fake[r * columns + c]!;
  };
  const u = (x + 0.5) / cellPx - 0.5;
  const v = (y + 0.5) / cellPx - 0.5;
  const [c, r] = [Math.floor(u), Math.floor(v)];
  const upper = at(c, r) + (at(c + 1, r) - at(c, r)) * (u - c);
  const lower = at(c, r + 1) + (at(c + 1, r + 1) - at(c, r + 1)) * (u - c);
  return upper + (lower - upper) * (v - r);
}
