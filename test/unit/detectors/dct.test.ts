import { expect, test } from 'vitest';
import { countBlocks, forEachBlock } from '../../../src/detectors/blocks.ts';
import { createRandom } from '../../fixtures/noise.ts';

const scale = (frequency: number) => (frequency === 0 ? Math.SQRT1_2 : 1);
const wave = (x: number, frequency: number) => Math.cos(((2 * x + 1) * frequency * Math.PI) / 16);

/** ITU-T T.81, A.3.3, implemented literally. */
function coefficient(samples: (x: number, y: number) => number, u: number, v: number): number {
  let sum = 0;
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) sum += (samples(x, y) - 128) * wave(x, u) * wave(y, v);
  }
  return (sum * scale(u) * scale(v)) / 4;
}

test('the blocks of a grid are transformed as in the standard', () => {
  const random = createRandom(4);
  const [width, height] = [30, 21];
  const plane = {
    luma: Uint8Array.from({ length: width * height }, () => random() * 256),
    width,
    height,
  };
  const grid = { left: 5, top: 3 };
  const blocks: Float32Array[] = [];

  forEachBlock(plane, grid, (coefficients, block) => {
    blocks[block] = coefficients.slice();
  });

  expect(countBlocks(plane, grid)).toEqual({ columns: 3, rows: 2 });
  expect(blocks).toHaveLength(6);
  for (const [block, coefficients] of blocks.entries()) {
    const [left, top] = [5 + (block % 3) * 8, 3 + Math.floor(block / 3) * 8];
    const at = (x: number, y: number) => plane.luma[(top + y) * width + left + x]!;
    for (const [place, value] of coefficients.entries()) {
      expect(value).toBeCloseTo(coefficient(at, place & 7, place >> 3), 3);
    }
  }
});
