import { expect, test } from 'vitest';
import { readPatchScores } from '../../../src/engine/patch-scores.ts';
import { type Planes, toPlanes } from '../../../src/image/pixels.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';
import { loadPackagedModel } from './fixtures.ts';

const transformer = {
  sidePx: 64,
  stepPx: 16,
  squares: 2,
  weights: { view: 0.5, squares: 0.25 },
  photographMin: 0.3,
};
const model = await loadPackagedModel();

/** Returns the mean red of its input, and records it. The likeliest kind after photograph is drawing. */
function redTransformer(seen: (readonly [string, number])[]): TraceModel {
  return {
    ...model,
    manifest: { ...model.manifest, transformer },
    readTransformer: (rgb, input) => {
      const red = rgb.filter((_, at) => at % 3 === 0);
      const mean = Math.round(red.reduce((sum, value) => sum + value, 0) / red.length);
      seen.push([input, mean]);
      return Promise.resolve({
        generated: mean,
        kinds: Float32Array.of(Math.log(3), 0, -40, -40, -40, -40),
      });
    },
  };
}

/** Grey, with checkerboards of 64 px in the given levels at the given places. */
function boards(width: number, height: number, ...places: readonly (readonly number[])[]): Planes {
  const rgb = new Uint8Array(3 * width * height).fill(100);
  for (const [left = 0, top = 0, low = 0, high = 0] of places) {
    for (let y = top; y < top + 64; y++) {
      for (let x = left; x < left + 64; x++) {
        rgb.fill((x + y) % 2 === 0 ? low : high, 3 * (y * width + x), 3 * (y * width + x) + 3);
      }
    }
  }
  return toPlanes({ width, height, rgb });
}

test('reads the whole picture squeezed, then the most textured squares, which do not overlap', async () => {
  const seen: (readonly [string, number])[] = [];
  const picture = boards(320, 192, [32, 16, 200, 204], [208, 96, 40, 50]);

  const { transformer: read } = await readPatchScores(picture, redTransformer(seen));

  expect(seen.map(([input]) => input)).toEqual(['view', 'square', 'square']);
  expect(seen.slice(1)).toEqual([
    ['square', 45],
    ['square', 202],
  ]);
  const [, view] = seen[0]!;
  expect(read?.shift).toBeCloseTo(0.5 * view + (0.25 * (45 + 202)) / 2, 6);
});

test('the view takes the weight of the squares if the picture is smaller than one', async () => {
  const seen: (readonly [string, number])[] = [];

  const { transformer: read } = await readPatchScores(boards(300, 40), redTransformer(seen));

  expect(seen).toEqual([['view', 100]]);
  expect(read?.shift).toBeCloseTo(75, 6);
});

test('names the likeliest kind besides photograph, and the likeness to a photograph', async () => {
  const { transformer: read } = await readPatchScores(boards(128, 128), redTransformer([]));

  expect(read?.kind).toBe('drawing');
  expect(read?.photograph).toBeCloseTo(0.75, 6);
});

test('shifts real and fake apart, and leaves compression and maps unchanged', async () => {
  const picture = boards(256, 192, [32, 16, 200, 220]);
  const alone = { ...model, manifest: { ...model.manifest, transformer: null } };

  const without = await readPatchScores(picture, alone);
  const joined = await readPatchScores(picture, redTransformer([]));

  const shift = joined.transformer!.shift;
  expect(without.transformer).toBeNull();
  expect(joined.meanLogits.fake - without.meanLogits.fake).toBeCloseTo(shift / 2, 6);
  expect(joined.meanLogits.real - without.meanLogits.real).toBeCloseTo(-shift / 2, 6);
  expect(joined.meanLogits.compression).toBe(without.meanLogits.compression);
  expect(joined.logits).toEqual(without.logits);
});
