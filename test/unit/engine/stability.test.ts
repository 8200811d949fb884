import { beforeAll, expect, test } from 'vitest';
import { stabilityChanges } from '../../../src/contract/vocabulary.ts';
import { toFakeProbability } from '../../../src/engine/calibration.ts';
import { readLogits } from '../../../src/engine/patch-scores.ts';
import { createStabilityTest } from '../../../src/engine/stability.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { cutPixels, toPlanes } from '../../../src/image/pixels.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';
import { loadPackagedModel, pictureOf, scenePicture } from './fixtures.ts';

let model: TraceModel;
let picture: Picture;
beforeAll(async () => {
  model = await loadPackagedModel();
  picture = await scenePicture(400, 300);
});

/** The model with another offset of its decision: every picture's log odds move by as much. */
function shifted(by: number): TraceModel {
  const { calibration } = model.manifest;
  const { scale, offset } = calibration.decision;
  const decision = { scale, offset: offset + by };
  return { ...model, manifest: { ...model.manifest, calibration: { ...calibration, decision } } };
}

test('the changes are all tried, and twice the same gives the same', async () => {
  const one = await createStabilityTest(picture, model)(true);
  const other = await createStabilityTest(picture, model)(true);

  expect(one.trials.map(({ change }) => change)).toEqual([...stabilityChanges]);
  expect(other).toEqual(one);
});

test('a verdict holds when every trial agrees, and falls when the trials say the other side clearly', async () => {
  const agreeing = await createStabilityTest(picture, shifted(20))(true);
  const contradicting = await createStabilityTest(picture, shifted(20))(false);

  expect(agreeing.holds).toBe(true);
  expect(contradicting.holds).toBe(false);
  expect(contradicting.trials.every(({ isFlip }) => isFlip)).toBe(true);
});

test('a trial near one half is doubt and no contradiction', async () => {
  const { trials } = await createStabilityTest(picture, model)(true);
  const first = trials[0]!.fakeProbability;
  const nearHalf = Math.log(0.45 / 0.55) - Math.log(first / (1 - first));

  const moved = await createStabilityTest(picture, shifted(nearHalf))(true);

  expect(moved.trials[0]!.fakeProbability).toBeCloseTo(0.45, 6);
  expect(moved.trials[0]!.isFlip).toBe(false);
});

test('a crop is read as the picture without its left and upper edge would be', async () => {
  const { trials } = await createStabilityTest(await scenePicture(256, 256), model)(true);

  const box = { left: 13, top: 13, width: 243, height: 243 };
  const part = toPlanes(cutPixels(await scenePicture(256, 256), box));
  const expected = toFakeProbability(await readLogits(part, model), model.manifest);
  expect(trials.at(-1)!.fakeProbability).toBe(expected);
});

test('only the most textured part of a large picture is put to the test', async () => {
  const scene = await scenePicture(256, 256);
  const rgb = new Uint8Array(3 * 768 * 768).fill(128);
  for (let y = 0; y < 256; y++) {
    rgb.set(scene.rgb.subarray(768 * y, 768 * (y + 1)), 3 * ((y + 256) * 768 + 512));
  }

  const inside = await createStabilityTest(
    await pictureOf({ width: 768, height: 768, rgb }),
    model,
  )(true);

  expect(inside).toEqual(await createStabilityTest(scene, model)(true));
});
