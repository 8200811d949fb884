import { expect, test } from 'vitest';
import { drawMaps, drawTraces, gridOfMaps } from '../../../src/engine/maps.ts';
import { readPatchScores } from '../../../src/engine/patch-scores.ts';
import { type Planes, toPlanes } from '../../../src/image/pixels.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';
import { loadPackagedModel } from './fixtures.ts';

const weights = { patches: 0.5, tiles: 0.3, whole: 0.2 };
const views = { mostPixels: 65_536, tilePx: 64, tiles: 3, wholePx: 96, weights };
const identity = { scale: 1, offset: 0 };
const model = await loadPackagedModel();

/** Features: the mean red of each cell. Logits: the mean, its negative and 0. Records the size of every input. */
function redModel(seen: string[]): TraceModel {
  const { manifest, statistics, ...packaged } = model;
  const cellPx = 32;
  const quantiles = Array.from({ length: 101 }, (_, at) => at / 100);
  return {
    ...packaged,
    manifest: {
      ...manifest,
      input: { cellPx, patchCells: 2, patchStrideCells: 1, patchesRead: 400 },
      views,
      calibration: { real: identity, fake: identity, compression: identity, decision: identity },
    },
    statistics: {
      ...statistics,
      embedding: { dimension: 1, mean: [0], whitening: [1] },
      distanceQuantiles: quantiles,
      pictureDistanceQuantiles: quantiles,
    },
    readFeatures: (rgb: Uint8Array, width: number, height: number) => {
      seen.push(`${width}x${height}`);
      const [columns, rows] = [width / cellPx, height / cellPx];
      const sums = new Float32Array(columns * rows);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const cell = Math.floor(y / cellPx) * columns + Math.floor(x / cellPx);
          sums[cell]! += rgb[3 * (y * width + x)]! / cellPx ** 2;
        }
      }
      return Promise.resolve(sums);
    },
    readHead: (features: Float32Array, count: number, _masks: Float32Array, passes: number) =>
      Promise.resolve({
        logits: Float32Array.from({ length: passes * count * 3 }, (_, at) => {
          const value = features[Math.floor(at / 3) % count]!;
          return [value, -value, 0][at % 3]!;
        }),
        embeddings: new Float32Array(count).fill(1),
      }),
  };
}

/** Red rises from left to right; the right half is textured. */
function picture(width: number, height: number): Planes {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const grain = x > width / 2 && (x + y) % 2 === 0 ? 20 : 0;
      rgb[3 * (y * width + x)] = Math.round((200 * x) / width) + grain;
    }
  }
  return toPlanes({ width, height, rgb });
}

test('a small picture has no tiles: its patches take over their weight', async () => {
  const seen: string[] = [];

  const { readings, cellPx, grid } = await readPatchScores(picture(256, 192), redModel(seen));

  expect(seen).toEqual(['256x192', '96x96']);
  expect(cellPx).toBe(32);
  expect(grid).toEqual({ columns: 8, rows: 6 });
  const patches = 7 * 5;
  expect(readings.weights).toHaveLength(patches + 1);
  expect(readings.weights[0]).toBeCloseTo((weights.patches + weights.tiles) / patches, 12);
  expect(readings.weights.at(-1)).toBe(weights.whole);
});

test('a large picture is scaled for its patches, and its most textured squares are read at full size', async () => {
  const seen: string[] = [];

  const { readings, cellPx, grid, meanLogits } = await readPatchScores(
    picture(1024, 768),
    redModel(seen),
  );

  expect(seen).toEqual(['320x224', '64x64', '64x64', '64x64', '96x96']);
  expect(grid.columns * cellPx).toBeGreaterThanOrEqual(1024);
  expect((grid.columns - 1) * cellPx).toBeLessThan(1024);
  expect(readings.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  // The tiles come from the right half, the patches and the whole from everything, so the mean lies between.
  const tile = readings.features.at(-2)!;
  const whole = readings.features.at(-1)!;
  expect(tile).toBeGreaterThan(110);
  expect(whole).toBeCloseTo(105, -1);
  expect(meanLogits.real).toBeGreaterThan(whole);
  expect(meanLogits.real).toBeLessThan(tile);
  expect(meanLogits.fake).toBeCloseTo(-meanLogits.real, 3);
});

test('the maps of a scaled picture cover the whole original', async () => {
  const large = picture(1024, 768);
  const red = redModel([]);
  const patchScores = await readPatchScores(large, red);
  const grid = gridOfMaps(large.facts);
  const cells = grid.columns * grid.rows;
  const nothing = {
    manipulation: { probability: 0, region: null, methods: [] },
    suspicion: 0,
    changed: new Float32Array(cells).fill(0.5),
    methods: {},
  };
  // Red of 0 to 200 becomes -2 to 2, so that the map is not saturated.
  const scaled = {
    ...red,
    manifest: {
      ...red.manifest,
      calibration: { ...red.manifest.calibration, real: { scale: 0.02, offset: -2 } },
    },
  };

  const { values } = drawMaps(drawTraces(patchScores, scaled, grid), nothing);

  const middle = Math.floor(grid.rows / 2) * grid.columns;
  const along = [0.1, 0.3, 0.5, 0.7, 0.9].map(
    (share) => values.real[middle + Math.floor(share * grid.columns)]!,
  );
  expect(along).toEqual(along.toSorted((one, other) => one - other));
  expect(along[4]! - along[0]!).toBeGreaterThan(30_000);
});

test('the distance of an embedding is the length of the whitened difference from the mean', async () => {
  const red = redModel([]);
  const measured: TraceModel = {
    ...red,
    statistics: {
      ...red.statistics,
      embedding: { dimension: 2, mean: [1, 1], whitening: [2, 0, 1, 1] },
    },
    readHead: async (features, count, masks, passes) => ({
      ...(await red.readHead(features, count, masks, passes)),
      embeddings: Float32Array.from({ length: 2 * count }, (_, at) => [1, 1, 2, 3][at % 4]!),
    }),
  };

  const { distances } = await readPatchScores(picture(256, 192), measured);

  // W (1, 2) = (2, 3)
  expect([...new Set(distances)]).toEqual([0, Math.sqrt(2 ** 2 + 3 ** 2)]);
});

const transformer = {
  sidePx: 64,
  stepPx: 16,
  squares: 2,
  weights: { view: 0.5, squares: 0.25 },
  photographMin: 0.3,
};

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
  const drawn = boards(320, 192, [32, 16, 200, 204], [208, 96, 40, 50]);

  const { transformer: read } = await readPatchScores(drawn, redTransformer(seen));

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
  const drawn = boards(256, 192, [32, 16, 200, 220]);
  const alone = { ...model, manifest: { ...model.manifest, transformer: null } };

  const without = await readPatchScores(drawn, alone);
  const joined = await readPatchScores(drawn, redTransformer([]));

  const shift = joined.transformer!.shift;
  expect(without.transformer).toBeNull();
  expect(joined.meanLogits.fake - without.meanLogits.fake).toBeCloseTo(shift / 2, 6);
  expect(joined.meanLogits.real - without.meanLogits.real).toBeCloseTo(-shift / 2, 6);
  expect(joined.meanLogits.compression).toBe(without.meanLogits.compression);
  expect(joined.logits).toEqual(without.logits);
});
