/**
 * What all methods that look for local changes say together: log odds that are weighted and added up, for each place and for
 * the whole picture. The weights are fitted on simulated changes (`models/training/locate_fuse.py`) and kept in the manifest
 * of the localisation network. A method that says nothing adds nothing.
 */

import type { Finding } from '../detectors/finding.ts';
import type { LocateManifest } from '../inference/model.ts';
import { sigmoid } from './calibration.ts';

type Fusion = LocateManifest['fusion'];

/** One map by method, all on one grid. */
export type MethodMaps = Readonly<Record<string, Float32Array>>;

/** Beyond these odds (about 50 to 1) a single method is not believed any further. */
const mostLogit = 4;

/** Probability 0..1 of each cell to be changed. */
export function fusePlaces(
  { places }: Pick<Fusion, 'places'>,
  maps: MethodMaps,
  cells: number,
): Float32Array {
  const odds = new Float64Array(cells).fill(places.offset);
  for (const [method, { weight, rest }] of Object.entries(places.weights)) {
    const map = maps[method];
    if (map === undefined) continue;
    const nothing = boundedLogit(rest);
    for (let cell = 0; cell < cells; cell++) {
      odds[cell]! += weight * (boundedLogit(map[cell]!) - nothing);
    }
  }
  return Float32Array.from(odds, sigmoid);
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

function boundedLogit(probability: number): number {
  const logit = Math.log(probability / (1 - probability));
  return Math.min(mostLogit, Math.max(-mostLogit, logit));
}
