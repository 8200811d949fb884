/** The anomaly map: unlike the pictures of training, or out of line with the rest of its own picture. */

import { sigmoid } from './calibration.ts';
import { boundedLogit, quantilesOf } from './log-odds.ts';
import type { Localisation } from './manipulation.ts';

/**
 * The odds of both multiply. How far a place is out of line counts only as far as anything was changed at all, and against
 * the median of the picture: so an untouched picture shows little more than how unlike training it is, and one that is
 * unlike it all over stays bright all over.
 *
 * @param farther - of each cell the share 0..1 of reference patches that lie nearer to training.
 * @returns 0..1 for each cell.
 */
export function drawAnomaly(
  farther: Float32Array,
  { manipulation, changed }: Pick<Localisation, 'manipulation' | 'changed'>,
): Float32Array {
  const odds = Float64Array.from(changed, boundedLogit);
  const [usual = 0] = quantilesOf(odds, [0.5]);
  return farther.map((share, cell) =>
    sigmoid(boundedLogit(share) + manipulation.probability * (odds[cell]! - usual)),
  );
}
