/**
 * Reports what the two localisation networks find: local changes in photographs, and replaced words in documents. Each
 * compares each region with the rest of the picture by processing traces: residual noise, 8x8 DCT coefficients and block
 * boundaries.
 */

import {
  type ChangeEvidence,
  type Detector,
  type DetectorInput,
  type Finding,
  type LocalisedFinding,
  type Skipped,
  strengthOfRatio,
} from './detector.ts';
import { areaOf, largestPart, regionMeasures, type Region, type Size } from './regions.ts';
import type { FindingStatement, SkipReason } from './statements.ts';

/** What a network's score is worth, as measured on the calibration set. */
interface MeasuredWeight {
  /** Odds from which the score is worth `ratio`; below them, it is worth at most `below`. */
  readonly claim: number;
  readonly ratio: number;
  readonly below: number;
}

const networkOfThisProgram =
  'Network trained for this program (see its model card); map, confidence and score after Guillaro et al., "TruFor: Leveraging all-round clues for trustworthy image forgery detection and localization", CVPR 2023.';

/**
 * On the calibration set (120 simulated changes; 269 photographs unchanged, at JPEG 75 and at half size) 42 changed
 * pictures and 4 of 807 photographs reached a claim of 20 to 1, 47 and 6 one of 10 to 1. The ratios lie below the lower
 * one-sided 95 % bound of the first share divided by the upper bound of the second (Clopper and Pearson).
 */
export const localisationNetwork = createMethod({
  method: 'localisation-network',
  reason: 'no_localisation_network',
  evidence: ({ changes }) => changes,
  weight: { claim: 20, ratio: 12, below: 8 },
  toStatement: (region, size) =>
    region === null
      ? { code: 'changed_somewhere', values: {} }
      : { code: 'region_processed_apart', values: areaOf(region, size) },
  nothing: 'changed_nowhere',
});

export const documentText = createMethod({
  method: 'document-text',
  reason: 'no_document',
  evidence: ({ words = null }) => words,
  weight: { claim: 20, ratio: 12, below: 8 },
  toStatement: (region, size) =>
    region === null
      ? { code: 'changed_somewhere', values: {} }
      : { code: 'words_stand_out', values: areaOf(region, size) },
  nothing: 'words_agree',
});

/** Threshold above which a cell counts as changed; training calibrated the maps so that 0.5 is a good limit. */
const changedFrom = 0.5;

function createMethod({
  method,
  reason,
  evidence,
  weight: measured,
  toStatement,
  nothing,
}: {
  readonly method: string;
  readonly reason: SkipReason;
  readonly evidence: (input: DetectorInput) => ChangeEvidence | null;
  readonly weight: MeasuredWeight;
  readonly toStatement: (region: Region | null, size: Size) => FindingStatement;
  readonly nothing: 'changed_nowhere' | 'words_agree';
}): Detector<LocalisedFinding | Skipped> {
  return {
    method,
    examine: (input) => {
      const read = evidence(input);
      if (read === null) return { method, reason };
      const { score: logOdds, changed, trust } = read;
      const size = input.picture.facts;
      const region = largestPart(changed, changedFrom, size);
      const weight = toWeight(logOdds, measured);
      const finding: Finding = {
        method,
        score: 1 / (1 + Math.exp(-logOdds)),
        ...weight,
        // Without a finding the map is not described: it points somewhere in untouched pictures too, and must not cast
        // suspicion on them.
        statement:
          weight.speaksFor === 'fake' ? toStatement(region, size) : { code: nothing, values: {} },
        measures: { logOdds, meanTrust: mean(trust.values), ...(region && regionMeasures(region)) },
        source: networkOfThisProgram,
      };
      return { finding, map: changed };
    },
  };
}

/** Finding nothing proves nothing: the network may not know this kind of change. */
function toWeight(
  logOdds: number,
  { claim, ratio, below }: MeasuredWeight,
): Pick<Finding, 'speaksFor' | 'strength'> {
  const odds = Math.exp(logOdds);
  const strength = strengthOfRatio(odds >= claim ? ratio : Math.min(odds, below));
  return { speaksFor: strength === 'none' ? 'neither' : 'fake', strength };
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
