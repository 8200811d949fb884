import { expect, test } from 'vitest';
import { measureSpread } from '../../../src/engine/observe.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';

const channels = 96;

test('a mask drops the stated share and scales the rest to keep the mean at one', async () => {
  const { masks } = await spreadOf(Array(64).fill(0.5), 1337);

  const dropped = masks.filter((value) => value === 0).length / masks.length;
  expect(masks).toHaveLength(64 * channels);
  expect(new Set(masks)).toEqual(new Set([0, 1.25]));
  expect(dropped).toBeCloseTo(0.2, 1);
});

test('the same seed gives the same masks, another seed others', async () => {
  const [one, again, other] = [7, 7, 8].map(async (seed) => (await spreadOf([0.5], seed)).masks);

  expect(await again).toEqual(await one);
  expect(await other).not.toEqual(await one);
});

test('the uncertainty is the standard deviation of the passes themselves', async () => {
  const { spread } = await spreadOf([0.2, 0.4, 0.4, 0.4, 0.5, 0.5, 0.7, 0.9]);

  expect(spread.classUncertainties.compression).toBeCloseTo(0.2, 6);
  expect(spread.classUncertainties.real).toBe(0);
});

/** The spread for one patch, given its calibrated compression score in each pass. */
async function spreadOf(scores: readonly number[], seed = 1) {
  let masks = new Float32Array();
  const logits = Float32Array.from(
    scores.flatMap((score) => [0, 0, Math.log(score / (1 - score))]),
  );
  const same = { scale: 1, offset: 0 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these members of the model are read
  const model = {
    manifest: {
      dropout: { rate: 0.2, passes: scores.length },
      calibration: { real: same, fake: same, compression: same, decision: same },
    },
    readHead: async (_features: Float32Array, _count: number, given: Float32Array) => {
      masks = Float32Array.from(given);
      return { logits, embeddings: new Float32Array() };
    },
  } as unknown as TraceModel;
  const readings = { features: new Float32Array(channels), weights: [1], shift: 0 };
  const spread = await measureSpread(readings, model, seed);
  return { spread, masks };
}
