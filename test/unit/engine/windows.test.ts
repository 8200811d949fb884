import { expect, test } from 'vitest';
import { createRandom } from '../../../src/engine/calibration.ts';
import { meanWindows } from '../../../src/engine/feature-grid.ts';

test.each([
  [9, 7, 3, 2],
  [8, 8, 8, 8],
  [5, 1, 5, 1],
  [12, 20, 8, 8],
])('window means of a %i x %i grid match direct summation', (columns, rows, w, h) => {
  const channels = 3;
  const random = createRandom(columns);
  const values = Float32Array.from({ length: channels * columns * rows }, () => random() * 9 - 4);

  const read = meanWindows({ columns, rows, channels, values }, { columns: w, rows: h });

  expect([read.columns, read.rows]).toEqual([columns - w + 1, rows - h + 1]);
  for (let y = 0; y < read.rows; y++) {
    for (let x = 0; x < read.columns; x++) {
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let row = y; row < y + h; row++) {
          for (let column = x; column < x + w; column++) {
            sum += values[(channel * rows + row) * columns + column]!;
          }
        }
        const mean = read.means[(y * read.columns + x) * channels + channel];
        expect(mean).toBeCloseTo(sum / (w * h), 5);
      }
    }
  }
});
