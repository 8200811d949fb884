/** The same picture after another save: does its verdict turn round, and does the score of compression follow? */

import { toPredictions } from '../../src/engine/calibration.ts';
import type { Models } from '../../src/engine/observe.ts';
import { readLogits } from '../../src/engine/reading.ts';
import {
  type DecisionStrategy,
  decisionStrategies,
  type StabilityChange,
  stabilityChanges,
} from '../../src/engine/result.ts';
import { changePixels, savedAgain } from '../../src/engine/stability.ts';
import type { Picture } from '../../src/image/picture.ts';
import { toPlanes } from '../../src/image/pixels.ts';
import type { Pixels } from '../../src/image/resave.ts';
import type { TraceModel } from '../../src/inference/trace-model.ts';
import { type Classes, examineUnderAll } from './examine-under-all.ts';

/** By strategy the first change after which the picture is decided the other way; strategies without one are left out. */
export type Flips = Partial<Readonly<Record<DecisionStrategy, StabilityChange>>>;

/** Whole re-saves, examined as any picture is. */
export async function flipsOf(picture: Picture, models: Models, classes: Classes): Promise<Flips> {
  const side = classes.relaxed;
  const flips: Partial<Record<DecisionStrategy, StabilityChange>> = {};
  if (side !== 'real' && side !== 'fake') return flips;
  const other = side === 'real' ? 'fake' : 'real';
  for (const change of stabilityChanges) {
    const planes = toPlanes(await changePixels[change](pixelsOf(picture)));
    const facts = { ...picture.facts, ...planes.facts, jpeg: null };
    const { classes: after } = await examineUnderAll({ ...planes, facts }, models);
    for (const strategy of decisionStrategies) {
      if (classes[strategy] === side && after[strategy] === other) flips[strategy] ??= change;
    }
  }
  return flips;
}

const qualities = [20, 30, 40, 50, 60, 70, 80, 90] as const;

/** One picture of this many is saved at every quality: a score that follows is seen on few. */
const oneOf = 10;

export async function compressionOfResaves(
  picture: Picture,
  model: TraceModel,
): Promise<ReadonlyMap<number, number> | null> {
  if (Number.parseInt(picture.facts.sha256.slice(0, 8), 16) % oneOf !== 0) return null;
  const scores = new Map<number, number>();
  for (const quality of qualities) {
    const planes = toPlanes(await savedAgain(pixelsOf(picture), quality));
    const { compression } = toPredictions(await readLogits(planes, model), model.manifest);
    scores.set(quality, compression);
  }
  return scores;
}

function pixelsOf({ facts: { width, height }, rgb }: Picture): Pixels {
  return { width, height, rgb };
}
