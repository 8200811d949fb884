/**
 * Everything that is found out about a picture before anything is decided: read once, it can be decided under every strategy.
 */

import type { Answer, Detector, Skipped } from '../detectors/detector.ts';
import { detectors } from '../detectors/list.ts';
import { localisationNetwork } from '../detectors/localisation-network.ts';
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
  /** Whether they may run at the same time. The numbers are the same; without a core to spare both would take longer. */
  readonly hasSpareCore?: boolean;
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
 * @param methods - those that run: all, those that a verdict needs, or fewer to measure what the others add.
 */
export async function observe(
  picture: Picture,
  models: Models,
  seed: number,
  provenance: Provenance = noProvenance,
  methods: readonly Detector[] = detectors,
): Promise<Observation> {
  const { trace, locator, hasSpareCore = false } = models;
  const { manifest, statistics } = trace;
  const changing = readChanges(picture, locator);
  if (!hasSpareCore) await changing;
  // The localisation network has a thread of its own; meanwhile every method looks at the picture but the one that words it.
  const [changes, { patchScores, spread, traces, answered }] = await sideBySide(
    changing,
    readTraces(picture, trace, seed).then((read) => {
      const input = { picture, traces: read.traces, changes: null, provenance };
      return {
        ...read,
        answered: methods.map((it) => (needsChanges(it) ? null : it.examine(input))),
      };
    }),
  );
  const answers = methods.map(
    (it, at) => answered[at] ?? it.examine({ picture, traces, changes, provenance }),
  );
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

async function readTraces(picture: Picture, model: TraceModel, seed: number) {
  const { manifest } = model;
  const patchScores = await readPatchScores(picture, model);
  const spread = await measureSpread(patchScores.votes, model, seed);
  const traces = {
    fakeProbability: toFakeProbability(patchScores.meanLogits, manifest),
    fakeUncertainty: spread.fakeUncertainty,
    patchesRead: patchScores.read.length,
    passes: manifest.dropout.passes,
  };
  return { patchScores, spread, traces };
}

function needsChanges({ method }: Detector): boolean {
  return method === localisationNetwork.method;
}

/** Both have ended when this ends, also when one fails: a network that still runs must not meet the next picture. */
async function sideBySide<One, Other>(one: Promise<One>, other: Promise<Other>) {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

function isSkipped(answer: Answer): answer is Skipped {
  return 'reason' in answer;
}
