import { expect, test } from 'vitest';
import { blockCoefficients } from '../../../src/detectors/dct.ts';
import { placesInBlock } from '../../../src/image/zig-zag.ts';
import { createRandom } from '../../fixtures/noise.ts';

const scale = (frequency: number) => (frequency === 0 ? Math.SQRT1_2 : 1);
const wave = (x: number, frequency: number) => Math.cos(((2 * x + 1) * frequency * Math.PI) / 16);

/** ITU-T T.81, A.3.3, as it is written there. */
function coefficient(samples: (x: number, y: number) => number, u: number, v: number): number {
  let sum = 0;
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) sum += (samples(x, y) - 128) * wave(x, u) * wave(y, v);
  }
  return (sum * scale(u) * scale(v)) / 4;
}

test('blockCoefficients follows the formula of the standard, block by block on the grid asked for', () => {
  const random = createRandom(4);
  const [width, height] = [30, 21];
  const luma = Uint8Array.from({ length: width * height }, () => random() * 256);
  const grid = { left: 5, top: 3 };

  const { columns, rows, planes } = blockCoefficients({ luma, width, height }, grid, 64);

  expect([columns, rows]).toEqual([3, 2]);
  for (let block = 0; block < 6; block++) {
    const [left, top] = [5 + (block % 3) * 8, 3 + Math.floor(block / 3) * 8];
    const at = (x: number, y: number) => luma[(top + y) * width + left + x]!;
    for (const [k, place] of placesInBlock.entries()) {
      expect(planes[k]![block]).toBeCloseTo(coefficient(at, place & 7, place >> 3), 3);
    }
  }
});
