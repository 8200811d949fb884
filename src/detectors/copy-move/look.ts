/** From a picture to the pairs of places in it that look like copies of each other. */

import type { Picture } from '../../image/picture.ts';
import { describeSurroundings } from './descriptors.ts';
import { detailsOf } from './details.ts';
import { growAll } from './grown.ts';
import { type Likeness, likenessOf } from './likeness.ts';
import { matchField } from './match-field.ts';
import { findRegions, type Region } from './regions.ts';
import { type WorkingPicture, workingPicture } from './working-picture.ts';

export interface Pair {
  readonly region: Region;
  readonly likeness: Likeness;
}

/** What was seen of one picture; pixels are those of `working`. */
export interface Look {
  readonly working: WorkingPicture;
  /** Cells of `gridPx` in a row. */
  readonly columns: number;
  /** Share 0..1 of the picture that is not too smooth to be compared. */
  readonly comparedShare: number;
  readonly pairs: readonly Pair[];
}

/** Share of the shorter side. What lies closer is the same object. */
const leastStep = 0.05;
const leastStepPx = 16;
/** Cells of a region as the field shows it: smaller ones match by chance. */
const leastSeed = 8;

export function lookForCopies(picture: Pick<Picture, 'rgb' | 'facts'>): Look {
  const working = workingPicture(picture);
  const { width, height } = working;
  const surroundings = describeSurroundings(working);
  const leastPx = Math.max(leastStepPx, leastStep * Math.min(width, height));
  const field = matchField({ ...surroundings, width, height, leastPx, random: createSteps() });
  const { spread } = surroundings;
  const seeds = findRegions({ field, spread, width, leastCells: leastSeed });
  const details = detailsOf(working);
  const regions = growAll(seeds, details, { field, leastPx });
  const pairs = regions.map((region) => {
    return { region, likeness: likenessOf(region, details, field) };
  });
  const compared = field.target.reduce((count, target) => count + (target < 0 ? 0 : 1), 0);
  const comparedShare = compared / field.target.length;
  return { working, columns: field.columns, comparedShare, pairs };
}

/** Numbers 0 up to 1, always the same: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). */
function createSteps(): () => number {
  let state = 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}
