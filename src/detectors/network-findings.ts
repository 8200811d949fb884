/**
 * Findings of both networks, and of the size of the picture, which counts together with the traces. The localisation
 * network compares the processing traces of each region with those of the rest of the picture: residual noise, 8x8 DCT
 * coefficients and block boundaries.
 */

import {
  type ChangeEvidence,
  type Detector,
  type Finding,
  type LocalisedFinding,
  type Skipped,
  sided,
  strengthOfRatio,
} from './detector.ts';
import { areaOf, largestParts, regionMeasures, type Region, type Size } from './regions.ts';
import type { FindingStatement } from './statements.ts';
import type { PictureFacts } from '../image/picture.ts';
import type { GeneratorSizes, ModelManifest } from '../contract/manifest.ts';

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
  const [region = null] = largestParts(changed, changedFrom, size, 1);
  const claim = Math.exp(logOdds);
  const { ratio, below } = measuredWeight;
  // Finding nothing proves nothing, because the network may not know the kind of change.
  const weight = sided('fake', claim >= measuredWeight.claim ? ratio : Math.min(claim, below));
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

// The score of the trace network.

export const traceNetwork: Detector<Finding | Skipped> = {
  method: 'trace-network',
  examine: ({ traces }) => {
    const { fakeProbability, fakeUncertainty, patchesRead, passes } = traces;
    // At even prior odds, the odds equal the likelihood ratio. Within one deviation of a half, it indicates no side.
    const isWithinScatter = Math.abs(fakeProbability - 0.5) <= fakeUncertainty;
    const logOdds = Math.log(fakeProbability / (1 - fakeProbability));
    const ratio = isWithinScatter ? 1 : Math.exp(Math.abs(logOdds));
    return {
      method: traceNetwork.method,
      score: fakeProbability,
      ...sided(fakeProbability > 0.5 ? 'fake' : 'real', ratio),
      statement: {
        code: 'generated_with_probability',
        values: { probability: fakeProbability, spread: fakeUncertainty, patches: patchesRead },
      },
      measures: { fakeProbability, fakeUncertainty, patchesRead, passes },
      source:
        'Network trained for this program (see the model card); spread after Gal and Ghahramani, "Dropout as a Bayesian approximation", ICML 2016.',
    };
  },
};

// That a picture has the size in pixels, or the proportions, that generators give their pictures. Saving again and
// messengers keep these; cropping does not, so any other size says nothing.

export const pictureSize: Detector<Finding | Skipped> = {
  method: 'picture-size',
  examine: ({ picture: { facts }, traces: { size } }) => {
    const { method } = pictureSize;
    if (size === null) return { method, reason: 'size_of_no_generator' };
    const { width, height } = facts;
    const { ratio, sources, leastSide } = size;
    const isScaled = leastSide !== undefined;
    return {
      method,
      score: ratio / (1 + ratio),
      speaksFor: 'fake',
      strength: strengthOfRatio(ratio),
      statement: {
        code: 'size_of_generators',
        values: { width, height, isScaled, ratio, ...sources },
      },
      measures: { likelihoodRatio: ratio, width, height },
      source:
        'Sizes in the documentation of generators, counted for this program (see the model card).',
    };
  },
};

/** The first entry in the model's list that applies to the picture, in portrait or landscape format. */
export function findGeneratorSize(
  { width, height }: Pick<PictureFacts, 'width' | 'height'>,
  { generatorSizes }: Pick<ModelManifest, 'generatorSizes'>,
): GeneratorSizes | null {
  const longer = Math.max(width, height);
  const shorter = Math.min(width, height);
  const applies = ({ sizes, leastSide = Infinity }: GeneratorSizes) =>
    sizes.includes(`${longer}x${shorter}`) ||
    (shorter >= leastSide && sizes.some((size) => followsFrom(longer, shorter, size)));
  return generatorSizes.find(applies) ?? null;
}

/** Whether one side follows from the other to within half a pixel, so that the picture may have been scaled. */
function followsFrom(longer: number, shorter: number, size: string): boolean {
  const [across = 0, down = 1] = size.split('x').map(Number);
  const share = across / down;
  return Math.abs(longer - shorter * share) <= 0.5 || Math.abs(shorter - longer / share) <= 0.5;
}
