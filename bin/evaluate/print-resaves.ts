/** How re-saves affect the verdict and the compression score. */

import { decisionStrategies } from '../../src/contract/vocabulary.ts';
import { blindnessOf, followingOf } from './compression.ts';
import { minFollowing } from './goals.ts';
import { flipRate } from './rates.ts';
import type { Row } from './read-samples.ts';
import { type Block, numberWithin, percentWithin, table } from './table.ts';

/** @param rows - of the pictures as they are. */
export function printResaves(rows: readonly Row[]): readonly Block[] {
  const turned = decisionStrategies.map((strategy) => {
    const { count, of, ...rate } = flipRate(rows, strategy);
    return `${strategy} ${count} of ${of}, ${percentWithin(rate)}`;
  });
  const { mean, least, reached } = followingOf(rows, minFollowing);
  return [
    `Decided pictures whose verdict is reversed by JPEG 90 or 70, by scaling to 0.75 or 0.5, or by a crop: ${turned.join('; ')}`,
    `Rank correlation of the compression score with JPEG quality 20 to 90 of the same picture, over ${reached.of} pictures: mean ${numberWithin(mean)}, least ${least.toFixed(3)}, ${minFollowing} or more in ${percentWithin(reached)}`,
    'Does that score ignore what a picture shows? For pictures saved at one quality and never lower: its scatter between pictures, how well it tells real from generated (0.5 is ideal), and its rank correlation with texture (0 is ideal).',
    table(
      ['JPEG quality', 'real', 'generated', 'standard deviation', 'AUC', 'with texture'],
      blindnessOf(rows).map(({ quality, real, fake, spread, auc, texture }) => [
        ...[quality, real, fake].map(String),
        ...[spread, auc, texture].map((estimate) => numberWithin(estimate)),
      ]),
    ),
  ];
}
