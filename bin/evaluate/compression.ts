/** Does the compression score follow the quality of a save, and nothing else about a picture? */

import { auc } from '../../src/service/validation/figures.ts';
import { meanOf, spearman, standardDeviation } from './figures.ts';
import { type Estimate, estimateOf, type Rate, rateOf } from './intervals.ts';
import type { Outcome } from './read-samples.ts';
import type { Compression } from './resaves.ts';

interface Resaved {
  readonly sample: Outcome['sample'];
  readonly compression: Compression;
}

/** Rank correlation of the score with falling quality, over the re-saves of one picture. */
export interface Following {
  readonly mean: Estimate;
  readonly least: number;
  /** Pictures that reach `wanted`. */
  readonly reached: Rate;
}

export function followingOf(rows: readonly Outcome[], wanted: number): Following {
  const followed = resavedOf(rows).map(({ sample, compression: { scores } }) => {
    const falling = [...scores.keys()].map((quality) => -quality);
    return { sample, correlation: spearman(falling, [...scores.values()]) };
  });
  return {
    mean: estimateOf(followed, (some) => meanOf(some.map(({ correlation }) => correlation))),
    least: Math.min(...followed.map(({ correlation }) => correlation)),
    reached: rateOf(followed, ({ correlation }) => correlation >= wanted),
  };
}

/**
 * What the score depends on besides the quality, which is the same for all of them.
 */
export interface Blindness {
  readonly quality: number;
  readonly real: number;
  readonly fake: number;
  /** Standard deviation between pictures: 0 if the score depends on the quality alone. */
  readonly spread: Estimate;
  /** Probability that a generated picture scores higher: 0.5 if the score does not depend on the class. */
  readonly auc: Estimate;
  /** Rank correlation with the picture's texture: 0 if the score does not depend on it. */
  readonly texture: Estimate;
}

/**
 * For each quality, the pictures that were not saved at a lower one before: the score would be
 * about that earlier save.
 */
export function blindnessOf(rows: readonly Outcome[]): readonly Blindness[] {
  const resaved = resavedOf(rows);
  const qualities = [...(resaved[0]?.compression.scores.keys() ?? [])];
  return qualities.map((quality) => {
    const some = resaved
      .filter(({ compression: { ownQuality } }) => ownQuality !== null && ownQuality >= quality)
      .map(({ sample, compression: { scores, texture } }) => {
        const { isFake, source } = sample;
        return { sample, isFake, source, score: scores.get(quality)!, texture };
      });
    return {
      quality,
      real: some.filter(({ isFake }) => !isFake).length,
      fake: some.filter(({ isFake }) => isFake).length,
      spread: estimateOf(some, (drawn) => standardDeviation(drawn.map(({ score }) => score))),
      auc: estimateOf(some, auc),
      texture: estimateOf(some, (drawn) =>
        spearman(
          drawn.map(({ texture }) => texture),
          drawn.map(({ score }) => score),
        ),
      ),
    };
  });
}

function resavedOf(rows: readonly Outcome[]): readonly Resaved[] {
  return rows.flatMap(({ sample, compression }) => (compression ? [{ sample, compression }] : []));
}
