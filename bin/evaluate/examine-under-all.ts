import {
  type DecisionStrategy,
  defaultSeed,
  type ResultClass,
} from '../../src/contract/vocabulary.ts';
import { concludeUnderEvery, observe } from '../../src/engine/observe.ts';
import type { Models } from '../../src/engine/schedule.ts';
import type { Detector } from '../../src/detectors/detector.ts';
import type { Picture } from '../../src/image/picture.ts';

export type Classes = Readonly<Record<DecisionStrategy, ResultClass>>;

export interface Examining extends Models {
  /** Methods to run; all by default. */
  readonly methods?: readonly Detector[];
}

/** The reading, the examination under the default strategy, and the decisions under every one. */
export async function examineUnderAll(picture: Picture, models: Examining) {
  const { methods } = models;
  const observation = await observe(picture, models, defaultSeed, undefined, methods);
  const examinations = await concludeUnderEvery(observation);
  const decisions = {
    pedantic: examinations.pedantic.decision,
    default: examinations.default.decision,
    relaxed: examinations.relaxed.decision,
  };
  const classes: Classes = {
    pedantic: decisions.pedantic.resultClass,
    default: decisions.default.resultClass,
    relaxed: decisions.relaxed.resultClass,
  };
  const { maps, ...examination } = examinations.default;
  return { patchScores: observation.patchScores, examination, maps, classes, decisions };
}
