/**
 * Reports what the localisation network finds about local changes. The network compares the processing traces of each
 * region with those of the rest of the picture: residual noise, 8x8 DCT coefficients and block boundaries.
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
 * Weight of a score, from the calibration set (120 simulated changes; 269 photographs unchanged, at JPEG 75 and at half
 * size). 42 changed pictures and 4 of 807 photographs reached a claim of 20 to 1; 47 and 6 reached one of 10 to 1. The
 * ratios are below the lower one-sided 95% bound of the share of changed pictures, divided by the upper bound of the
 * share of photographs (Clopper and Pearson).
 */
const measuredWeight = { claim: 20, ratio: 12, below: 8 } as const;

/** A cell counts as changed above this; the map was calibrated in training so that 0.5 is a good limit. */
const changedFrom = 0.5;

function toLocalisedFinding(
  { score: logOdds, changed, trust }: ChangeEvidence,
  size: Size,
): LocalisedFinding {
  const region = largestPart(changed, changedFrom, size);
  const weight = toWeight(logOdds);
  const { values } = trust;
  const meanTrust = values.reduce((sum, value) => sum + value, 0) / values.length;
  const finding = {
    method: localisationNetwork.method,
    score: 1 / (1 + Math.exp(-logOdds)),
    ...weight,
    statement: toStatement(region, weight.speaksFor === 'fake', size),
    measures: { logOdds, meanTrust, ...(region && regionMeasures(region)) },
    source:
      'Network trained for this program (see its model card); map, confidence and score after Guillaro et al., "TruFor: Leveraging all-round clues for trustworthy image forgery detection and localization", CVPR 2023.',
  };
  return { finding, map: changed };
}

/** Finding nothing proves nothing, because the network may not know the kind of change. */
function toWeight(logOdds: number): Pick<Finding, 'speaksFor' | 'strength'> {
  const claim = Math.exp(logOdds);
  const { ratio, below } = measuredWeight;
  const strength = strengthOfRatio(claim >= measuredWeight.claim ? ratio : Math.min(claim, below));
  return { speaksFor: strength === 'none' ? 'neither' : 'fake', strength };
}

/** Without a change, the map is not described: it has peaks even in untouched pictures. */
function toStatement(
  region: Region | null,
  indicatesChange: boolean,
  size: Size,
): FindingStatement {
  if (!indicatesChange) return { code: 'changed_nowhere', values: {} };
  if (region === null) return { code: 'changed_somewhere', values: {} };
  return { code: 'region_processed_apart', values: areaOf(region, size) };
}
