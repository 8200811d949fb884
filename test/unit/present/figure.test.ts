import { expect, test } from 'vitest';
import { placeFigure } from '../../../src/render/heatmap/print-pictures.ts';

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
  const { width, height, scale, strips } = placeFigure({ width: 65, height: 70 }, box);

  expect({ width, height, scale, strips }).toEqual({
    width: 130,
    height: 140,
    scale: 2,
    strips: 1,
  });
});

test('very long pictures are cut into strips with a stated reading order', () => {
  expect(placeFigure({ width: 65, height: 4096 }, box).reading).toBe('leftToRight');
  expect(placeFigure({ width: 4096, height: 65 }, box).reading).toBe('topToBottom');
  expect(placeFigure({ width: 1000, height: 250 }, box).reading).toBeNull();
});
