/**
 * Everything that is found out about a picture before anything is decided: read once, it can be decided under every strategy.
 */

import type { Answer, Detector, Skipped } from '../detectors/detector.ts';
import { detectors } from '../detectors/list.ts';
import { codecVersions } from '../image/codec.ts';
import type { Picture } from '../image/picture.ts';
import type { TraceModel, LocateModel } from '../inference/networks.ts';
import { noProvenance, type Provenance } from '../provenance/provenance.ts';
import { measureAnomaly, measureSimilarities } from './anomaly.ts';
import { toFakeProbability, toPredictions } from './calibration.ts';
import { environmentOf, identityOf } from './contract.ts';
import { findingOf, localise, readChanges } from './localisation.ts';
import { cellDistances, drawMaps, gridOfMaps } from './maps.ts';
import { measureSpread } from './monte-carlo.ts';
import { type PatchScores, readPatchScores } from './patch-scores.ts';
import type { CodedExamination } from './result.ts';
import { createStabilityTest, type StabilityTest } from './stability.ts';

/** The networks that an examination runs. */
export interface Models {
  readonly trace: TraceModel;
  readonly locator: LocateModel;
}

export interface Observation {
  readonly picture: Picture;
  readonly models: Models;
  readonly seed: number;
  readonly patchScores: PatchScores;
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  /** All of the examination that no strategy changes. */
  readonly seen: Omit<CodedExamination, 'options' | 'decision' | 'stability'>;
  /** The picture's own, so that it is put to the test once under however many strategies. */
  readonly testStability: StabilityTest;
}

/**
 * @param provenance - the file's own statements, read from the same bytes as `picture`.
 * @param methods - those that run; fewer only to measure what the others add.
 */
export async function observe(
  picture: Picture,
  models: Models,
  seed: number,
  provenance: Provenance = noProvenance,
  methods: readonly Detector[] = detectors,
): Promise<Observation> {
  const { trace, locator } = models;
  const { manifest, statistics } = trace;
  const patchScores = await readPatchScores(picture, trace);
  const spread = await measureSpread(patchScores.votes, trace, seed);
  const changes = await readChanges(picture, locator);
  const traces = {
    fakeProbability: toFakeProbability(patchScores.meanLogits, manifest),
    fakeUncertainty: spread.fakeUncertainty,
    patchesRead: patchScores.read.length,
    passes: manifest.dropout.passes,
  };
  const answers = methods.map((it) => it.examine({ picture, traces, changes, provenance }));
  const grid = gridOfMaps(picture.facts);
  const found = localise({
    facts: picture.facts,
    answers,
    grid,
    manifest: locator.manifest,
  });
  return {
    picture,
    models,
    seed,
    patchScores,
    fakeProbability: traces.fakeProbability,
    fakeUncertainty: traces.fakeUncertainty,
    seen: {
      facts: picture.facts,
      model: identityOf(manifest),
      locator: identityOf(locator.manifest),
      measured: manifest.measured,
      measuredCalls: locator.manifest.called,
      predictions: toPredictions(patchScores.meanLogits, manifest),
      classUncertainties: spread.classUncertainties,
      classSimilarities: measureSimilarities(patchScores, statistics),
      anomaly: measureAnomaly(patchScores, cellDistances(patchScores), statistics),
      manipulation: found.manipulation,
      provenance,
      findings: answers.flatMap(findingOf),
      skipped: answers.filter(isSkipped),
      maps: drawMaps(patchScores, trace, grid, found),
      passes: traces.passes,
      patchesRead: traces.patchesRead,
      environment: environmentOf({ onnxruntime: trace.runtimeVersion, ...codecVersions() }),
    },
    testStability: createStabilityTest(picture, trace),
  };
}

function isSkipped(answer: Answer): answer is Skipped {
  return 'reason' in answer;
}
