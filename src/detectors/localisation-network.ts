/**
 * The finding of the learned method on local changes. It compares each region with the rest of the picture by traces of processing:
 * residual noise, 8x8 DCT coefficients and block borders.
 */

import {
  type ChangeEvidence,
  type Detector,
  type Finding,
  type LocalisedFinding,
  type Skipped,
  strengthOfRatio,
} from './detector.ts';
import { areaOf, largestPart, regionMeasures, type Region, type Size } from './regions.ts';
import type { FindingStatement } from './statements.ts';

export const localisationNetwork: Detector<LocalisedFinding | Skipped> = {
  method: 'localisation-network',
  examine: ({ picture, changes }) =>
    changes === null
      ? { method: localisationNetwork.method, reason: 'no_localisation_network' }
      : toLocalisedFinding(changes, picture.facts),
};

/**
 * Weight of a score, on the calibration split (120 simulated changes; 269 photographs as they are, at JPEG 75 and
 * at half size): a claim of 20 to 1 was reached by 42 changed pictures and 4 of 807 photographs, one of 10 to 1 by 47 and 6. The
 * ratios lie below the lower one-sided 95 % bound of the one share over the upper one of the other (Clopper and Pearson).
 */
const borneOut = { claim: 20, ratio: 12, below: 8 } as const;

/** Threshold above which a cell counts as changed; training moved the map so that this is a good limit. */
const changedFrom = 0.5;

function toLocalisedFinding(
  { score: logOdds, changed, trust }: ChangeEvidence,
  size: Size,
): LocalisedFinding {
  const region = largestPart(changed, changedFrom, size);
  const weight = toWeight(logOdds);
  const finding = {
    method: localisationNetwork.method,
    score: 1 / (1 + Math.exp(-logOdds)),
    ...weight,
    statement: toStatement(region, weight.speaksFor === 'fake', size),
    measures: { logOdds, meanTrust: mean(trust.values), ...(region && regionMeasures(region)) },
    source:
      'Network trained for this program (see its model card); map, confidence and score after Guillaro et al., "TruFor: Leveraging all-round clues for trustworthy image forgery detection and localization", CVPR 2023.',
  };
  return { finding, map: changed };
}

/** Nothing found proves nothing: the network may not know how it was done. */
function toWeight(logOdds: number): Pick<Finding, 'speaksFor' | 'strength'> {
  const claim = Math.exp(logOdds);
  const { ratio, below } = borneOut;
  const strength = strengthOfRatio(claim >= borneOut.claim ? ratio : Math.min(claim, below));
  return { speaksFor: strength === 'none' ? 'neither' : 'fake', strength };
}

/** Its map may still point somewhere: it does so in untouched pictures as well, and no picture is to look accused by that. */
function toStatement(region: Region | null, speaks: boolean, size: Size): FindingStatement {
  if (!speaks) return { code: 'changed_nowhere', values: {} };
  if (region === null) return { code: 'changed_somewhere', values: {} };
  return { code: 'region_processed_apart', values: areaOf(region, size) };
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
