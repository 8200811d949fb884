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
    `Decided pictures that are decided the other way after JPEG 90 or 70, 0.75 or 0.5 of the size, or a crop: ${turned.join('; ')}`,
    `Compression score against JPEG quality 20 to 90 of one picture, rank correlation over ${reached.of} pictures: mean ${numberWithin(mean)}, least ${least.toFixed(3)}, ${minFollowing} or more in ${percentWithin(reached)}`,
    'Is that score blind to what a picture shows? Of pictures saved at one quality, and not lower before: its scatter between them, how well it tells real from generated (0.5 is blind), and its rank correlation with texture (0 is blind).',
    table(
      ['JPEG quality', 'real', 'generated', 'standard deviation', 'AUC', 'with texture'],
      blindnessOf(rows).map(({ quality, real, fake, spread, auc, texture }) => [
        ...[quality, real, fake].map(String),
        ...[spread, auc, texture].map((estimate) => numberWithin(estimate)),
      ]),
    ),
  ];
}
