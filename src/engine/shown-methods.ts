/** Methods that only reports show. A run without a report skips them; if run later, they give the same findings. */

import type { Detector } from '../detectors/detector.ts';
import { detectors, shownDetectors } from '../detectors/list.ts';
import type { Picture } from '../image/picture.ts';
import type { LocateManifest } from '../contract/manifest.ts';
import { noProvenance } from '../contract/provenance.ts';
import { findingsIn, isWeighed } from './localisation.ts';
import { ontoGrid, quantised } from './maps.ts';
import type { Examination } from '../detectors/result.ts';

/** The methods that a verdict needs if this localisation model is used. */
export function decidingDetectors({ fusion }: Pick<LocateManifest, 'fusion'>): readonly Detector[] {
  return detectors.filter((it) => !shownDetectors.includes(it) || isWeighed(it.method, fusion));
}

/** Adds the methods that only reports show, in the order in which a run would have included them. */
export function withShownMethods(picture: Picture, examination: Examination): Examination {
  const { findings, skipped, maps, manipulation, decision } = examination;
  const done = new Set([...findings, ...skipped].map(({ method }) => method));
  const missing = shownDetectors.filter(({ method }) => !done.has(method));
  // Examinations from versions that did not look for changes remain as they are.
  if (manipulation === null || missing.length === 0) return examination;
  const { fakeProbability, fakeUncertainty } = decision;
  const { patchesRead, passes } = examination;
  const traces = { fakeProbability, fakeUncertainty, patchesRead, passes, kind: null, size: null };
  const input = { picture, traces, changes: null, words: null, provenance: noProvenance };
  const answers = missing.map((it) => it.examine(input));
  const addedSkipped = answers.filter((answer) => 'reason' in answer);
  const addedMaps = answers.flatMap((answer) =>
    'finding' in answer
      ? [[answer.finding.method, quantised(ontoGrid(answer.map, maps))] as const]
      : [],
  );
  return {
    ...examination,
    findings: inOrder([...findings, ...answers.flatMap(findingsIn)], ({ method }) => method),
    skipped: inOrder([...skipped, ...addedSkipped], ({ method }) => method),
    maps: {
      ...maps,
      methods: Object.fromEntries(
        inOrder([...Object.entries(maps.methods), ...addedMaps], ([method]) => method),
      ),
    },
  };
}

/** Sorts as in the list of detectors; the fused map, which belongs to no single method, comes first. */
function inOrder<T>(all: readonly T[], methodOf: (one: T) => string): T[] {
  const placeOf = (one: T) => detectors.findIndex(({ method }) => method === methodOf(one));
  return all.toSorted((one, other) => placeOf(one) - placeOf(other));
}
