/**
 * What the learned method says of local changes. It compares each place with the rest of the picture by traces of processing:
 * residual noise, 8x8 DCT coefficients and block borders.
 */

import type { ChangeEvidence, Detector, Finding, Sighting, Skipped } from './finding.ts';
import { largestRegion, measuresOf, placeOf, type Region, type Size, wordShare } from './places.ts';
import { strengthOfRatio } from './strength.ts';

export const localisationNetwork: Detector<Sighting | Skipped> = {
  method: 'localisation-network',
  examine: ({ picture, changes }) =>
    changes === null ? notAsked() : toSighting(changes, picture.facts),
};

/** To be measured. */
const mostRatio = 5;

/** A place counts as changed from here on; training moved the map so that this is a good limit. */
const changedFrom = 0.5;

function toSighting({ score: logit, changed, trust }: ChangeEvidence, size: Size): Sighting {
  const region = largestRegion(changed, changedFrom, size);
  const { method } = localisationNetwork;
  const finding = {
    method,
    score: 1 / (1 + Math.exp(-logit)),
    ...sideOf(logit),
    statement: statementOf(region, size),
    measures: {
      scoreLogit: logit,
      meanTrust: meanOf(trust.values),
      ...(region && measuresOf(region)),
    },
    source:
      'Network trained for this program (see its model card); map, confidence and score after Guillaro et al., "TruFor", CVPR 2023.',
  };
  return { finding, map: changed };
}

/** Nothing found proves nothing: the network may not know how it was done. */
function sideOf(logit: number): Pick<Finding, 'speaksFor' | 'strength'> {
  const strength = strengthOfRatio(Math.min(mostRatio, Math.exp(logit)));
  return { speaksFor: strength === 'none' ? 'neither' : 'fake', strength };
}

function statementOf(region: Region | null, size: Size) {
  if (region === null) return noRegion;
  const [place, share] = [placeOf(region, size), wordShare(region.share)];
  return {
    en: `A network that was trained on changed pictures marks a region ${place.en}, ${share.en} of the picture, whose traces of processing differ from the rest.`,
    de: `Ein an veränderten Bildern trainiertes Netz markiert ${place.de} einen Bereich von ${share.de} des Bildes, dessen Verarbeitungsspuren vom Rest abweichen.`,
  };
}

const noRegion = {
  en: 'A network that was trained on changed pictures marks no region as changed.',
  de: 'Ein an veränderten Bildern trainiertes Netz markiert keinen Bereich als verändert.',
};

function meanOf(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function notAsked(): Skipped {
  return {
    method: localisationNetwork.method,
    reason: {
      en: 'No localisation network was asked.',
      de: 'Es wurde kein Lokalisierungsnetz befragt.',
    },
  };
}
