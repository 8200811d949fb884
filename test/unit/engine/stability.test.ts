import { expect, test } from 'vitest';
import { stabilityChanges } from '../../../src/contract/vocabulary.ts';
import { type Logits, toFakeProbability } from '../../../src/engine/calibration.ts';
import { readLogits } from '../../../src/engine/patch-scores.ts';
import { createStabilityTest } from '../../../src/engine/stability.ts';
import { cutPixels, toPlanes } from '../../../src/image/pixels.ts';
import { loadPackagedModel, pictureOf, scenePicture } from './fixtures.ts';

const model = await loadPackagedModel();
const picture = await scenePicture(400, 300);
const logits = await readLogits(picture, model);

/** The logits of a picture whose log odds are higher by this amount. */
function shifted(by: number): Logits {
  const { scale } = model.manifest.calibration.decision;
  return { ...logits, fake: logits.fake + by / scale };
}

const logOdds = (probability: number) => Math.log(probability / (1 - probability));

test('all changes are tried, with deterministic results', async () => {
  const one = await createStabilityTest(picture, logits, model)(true);
  const other = await createStabilityTest(picture, logits, model)(true);

  expect(one.trials.map(({ change }) => change)).toEqual([...stabilityChanges]);
  expect(other).toEqual(one);
});

test('a verdict holds if every trial agrees, and fails if trials clearly contradict it', async () => {
  const agreeing = await createStabilityTest(picture, shifted(20), model)(true);
  const contradicting = await createStabilityTest(picture, shifted(20), model)(false);

  expect(agreeing.holds).toBe(true);
  expect(contradicting.holds).toBe(false);
  expect(contradicting.trials.every(({ isFlip }) => isFlip)).toBe(true);
});

test('what the size indicates counts in each trial', async () => {
  const plain = await createStabilityTest(picture, logits, model)(true);
  const sized = await createStabilityTest(picture, logits, model, 5)(true);

  for (const [at, { fakeProbability }] of sized.trials.entries()) {
    const gained = logOdds(fakeProbability) - logOdds(plain.trials[at]!.fakeProbability);
    expect(gained).toBeCloseTo(Math.log(5), 6);
  }
});

test('a trial near one half is doubtful but no contradiction', async () => {
  const { trials } = await createStabilityTest(picture, logits, model)(true);
  const nearHalf = logOdds(0.3) - logOdds(trials[0]!.fakeProbability);

  const moved = await createStabilityTest(picture, shifted(nearHalf), model)(true);

  expect(moved.trials[0]!.fakeProbability).toBeCloseTo(0.3, 6);
  expect(moved.trials[0]!.isFlip).toBe(false);
});

test('the effect of a change on the region is added to the whole picture', async () => {
  const scene = await scenePicture(256, 256);
  const box = { left: 13, top: 13, width: 243, height: 243 };
  const before = await readLogits(scene, model);
  const after = await readLogits(toPlanes(cutPixels(scene, box)), model);

  const { trials } = await createStabilityTest(scene, shifted(1), model)(true);

  const probabilityOf = (read: Logits) => toFakeProbability(read, model.manifest);
  const added = logOdds(probabilityOf(after)) - logOdds(probabilityOf(before));
  const expected = logOdds(probabilityOf(shifted(1))) + added;
  expect(logOdds(trials.at(-1)!.fakeProbability)).toBeCloseTo(expected, 6);
});

test('only the most textured region of a large picture is tested', async () => {
  const scene = await scenePicture(256, 256);
  const rgb = new Uint8Array(3 * 768 * 768).fill(128);
  for (let y = 0; y < 256; y++) {
    rgb.set(scene.rgb.subarray(768 * y, 768 * (y + 1)), 3 * ((y + 256) * 768 + 512));
  }

  const large = await pictureOf({ width: 768, height: 768, rgb });
  const inside = await createStabilityTest(large, logits, model)(true);

  expect(inside).toEqual(await createStabilityTest(scene, logits, model)(true));
});
