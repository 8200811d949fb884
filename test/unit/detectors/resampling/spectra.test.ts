import { expect, test } from 'vitest';
import { ownPeaks, pooled } from '../../../../src/detectors/resampling-peaks.ts';
import {
  createSquareTransform,
  spectraOf,
  spectrumWidth,
  windowSide,
} from '../../../../src/detectors/resampling-spectra.ts';
import { createRandom } from '../../../fixtures/noise.ts';

test('the transform of a square is the sum that defines it', () => {
  const random = createRandom(4);
  const length = 8;
  const values = Float64Array.from({ length: length * length }, random);
  const square = { real: values.slice(), imaginary: new Float64Array(values.length) };

  createSquareTransform(length)(square);

  for (let at = 0; at < values.length; at++) {
    const [down, along] = [Math.floor(at / length), at % length];
    let [real, imaginary] = [0, 0];
    values.forEach((value, from) => {
      const turns = (down * Math.floor(from / length) + along * (from % length)) / length;
      real += value * Math.cos(2 * Math.PI * turns);
      imaginary -= value * Math.sin(2 * Math.PI * turns);
    });
    expect(square.real[at]).toBeCloseTo(real, 9);
    expect(square.imaginary[at]).toBeCloseTo(imaginary, 9);
  }
});

test('a square whose side is no power of two is refused', () => {
  expect(() => createSquareTransform(12)).toThrow(RangeError);
});

test('the powers of noise have mean 1 at every distance from 0', () => {
  const random = createRandom(9);
  const [width, height] = [400, 300];
  const luma = Uint8Array.from({ length: width * height }, () => 120 + 6 * random());

  const { powers, columns, rows, stridePx } = spectraOf({ width, height, luma });

  expect({ columns, rows, stridePx }).toEqual({ columns: 11, rows: 8, stridePx: 32 });
  for (const from of [4, 12, 20, 28]) {
    let [sum, count] = [0, 0];
    for (let at = 0; at < powers.length; at++) {
      if (at % spectrumWidth !== from) continue;
      sum += powers[at]!;
      count++;
    }
    expect(sum / count).toBeCloseTo(1, 1);
  }
});

test('a large picture is read at wider steps, never in more than 512 windows', () => {
  const [width, height] = [2400, 1600];

  const { columns, rows, stridePx } = spectraOf({
    width,
    height,
    luma: new Uint8Array(width * height),
  });

  expect(columns * rows).toBeLessThanOrEqual(512);
  expect((columns - 1) * stridePx + windowSide).toBeLessThan(width);
  expect(width - (columns - 1) * stridePx - windowSide).toBeLessThanOrEqual(stridePx);
});

test('one loud window is not heard, four that share a period are', () => {
  const [columns, rows] = [6, 6];
  const powers = new Float32Array(columns * rows * windowSide * spectrumWidth).fill(1);
  const place = 20 * spectrumWidth + 20;
  const louden = (column: number, row: number) => {
    powers[(row * columns + column) * windowSide * spectrumWidth + place] = 500;
  };
  louden(0, 5);
  for (const at of [3, 4, 5]) for (const row of [0, 1, 2]) louden(at, row);
  const windows = { stridePx: 32, columns, rows, powers };

  const peaks = ownPeaks(pooled(windows), new Float64Array(windowSide * spectrumWidth));

  expect(peaks[4 + columns]).toBeCloseTo(20, 4);
  expect(peaks[5 * columns]).toBeCloseTo((20 + 3) / 4, 4);
  expect(peaks[1 + columns]).toBeCloseTo(1, 4);
});

test('windows and the neighbours of their pixels lie inside the picture', () => {
  const [width, height] = [129, 161];

  const { powers } = spectraOf({ width, height, luma: new Uint8Array(width * height).fill(7) });

  expect(powers.every((power) => Number.isFinite(power))).toBe(true);
});
