/**
 * What all methods that look for local changes say together: log odds that are weighted and added up, for each place and for
 * the whole picture. The weights are fitted on simulated changes (`models/training/locate_fuse.py`) and kept in the manifest
 * of the localisation network. A method that says nothing adds nothing. A place has to stand out from its own picture: the
 * higher the middle and the strongest places of the picture lie, the more it takes to count as changed.
 */

import type { Finding } from '../detectors/finding.ts';
import type { LocateManifest } from '../inference/model.ts';
import { sigmoid } from './calibration.ts';
import { boundedLogit, quantilesOf } from './log-odds.ts';

type Fusion = LocateManifest['fusion'];

/** One map by method, all on one grid. */
export type MethodMaps = Readonly<Record<string, Float32Array>>;

/** Quantile of the places of a picture that stands for its strongest ones; `locate_fuse.py` fits with the same. */
const strongestShare = 0.99;

/** Probability 0..1 of each cell to be changed. */
export function fusePlaces(
  { places }: Pick<Fusion, 'places'>,
  maps: MethodMaps,
  cells: number,
): Float32Array {
  const sums = new Float64Array(cells);
  for (const [method, { weight, rest }] of Object.entries(places.weights)) {
    const map = maps[method];
    if (map === undefined) continue;
    const nothing = boundedLogit(rest);
    for (let cell = 0; cell < cells; cell++) {
      sums[cell]! += weight * (boundedLogit(map[cell]!) - nothing);
    }
  }
  const level = raisedBy(sums, places.level) - places.offset;
  return Float32Array.from(sums, (sum) => sigmoid(sum - level));
}

/** What the picture itself adds to the level that its places are held against. */
function raisedBy(sums: Float64Array, level: Fusion['places']['level']): number {
  const [middle = 0, strongest = 0] = quantilesOf(sums, [0.5, strongestShare]);
  return level.middle * middle + level.strongest * strongest;
}

/** Probability 0..1 that something in the picture was changed. */
export function fuseScores(
  { picture }: Pick<Fusion, 'picture'>,
  findings: readonly Pick<Finding, 'method' | 'score'>[],
): number {
  const odds = findings.reduce(
    (sum, { method, score }) => sum + (picture.weights[method] ?? 0) * boundedLogit(score),
    picture.offset,
  );
  return sigmoid(odds);
}
