/**
 * Everything that is found out about a picture before anything is decided: read once, it can be decided under every strategy.
 */

import { copyMove, type findCopies } from '../detectors/copy-move/copy-move.ts';
import { workingPicture } from '../detectors/copy-move/features.ts';
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
import type { Examination } from './result.ts';
import { createStabilityTest, type StabilityTest } from './stability.ts';

/** The networks that an examination runs. */
export interface Models {
  readonly trace: TraceModel;
  readonly locator: LocateModel;
  /** Whether they may run at the same time. The numbers are the same; without a core to spare both would take longer. */
  readonly hasSpareCore?: boolean;
  /** Looks for copies in another thread, which then has the other core: used only while there is one to spare. */
  readonly findCopiesBeside?: (
    ...given: Parameters<typeof findCopies>
  ) => Promise<ReturnType<typeof findCopies>>;
}

export interface Observation {
  readonly picture: Picture;
  readonly models: Models;
  readonly seed: number;
  readonly patchScores: PatchScores;
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  /** All of the examination that no strategy changes. */
  readonly seen: Omit<Examination, 'options' | 'decision' | 'stability'>;
  /** The picture's own, so that it is put to the test once under however many strategies. */
  readonly testStability: StabilityTest;
}

/** What is known while the localisation network may still be at work. */
export interface TracesSeen extends Omit<Observation, 'seen' | 'seed'> {
  readonly seen: Pick<Observation['seen'], 'predictions' | 'anomaly' | 'findings' | 'provenance'>;
}

/**
 * @param provenance - the file's own statements, read from the same bytes as `picture`.
 * @param methods - those that run: all, those that a verdict needs, or fewer to measure what the others add.
 * @param meanwhile - is done before the localisation network is waited for.
 */
export async function observe(
  picture: Picture,
  models: Models,
  seed: number,
  provenance: Provenance = noProvenance,
  methods: readonly Detector[] = detectors,
  meanwhile?: (traces: TracesSeen) => Promise<unknown>,
): Promise<Observation> {
  const { trace, locator, hasSpareCore = false } = models;
  const { manifest, statistics } = trace;
  const changing = readChanges(picture, locator);
  if (!hasSpareCore) await changing;
  const beside = hasSpareCore ? models.findCopiesBeside : undefined;
  const copying = beside?.(workingPicture(picture), picture.facts) ?? null;
  // The localisation network has a thread of its own, which then looks for copies; meanwhile all other methods look at the
  // picture here, but the one that words what the network found.
  const isElsewhere = ({ method }: Detector) =>
    method === localisationNetwork.method || (copying !== null && method === copyMove.method);
  const readHere = async () => {
    const { patchScores, ...read } = await readTraces(picture, trace, seed);
    const input = { picture, traces: read.traces, changes: null, provenance };
    const answered = methods.map((it) => (isElsewhere(it) ? null : it.examine(input)));
    const seen = {
      predictions: toPredictions(patchScores.meanLogits, manifest),
      anomaly: measureAnomaly(patchScores, cellDistances(patchScores), statistics),
      findings: answered.flatMap((answer) => (answer === null ? [] : findingOf(answer))),
      provenance,
    };
    const { fakeProbability, fakeUncertainty } = read.traces;
    const scores = { patchScores, fakeProbability, fakeUncertainty };
    const testStability = createStabilityTest(picture, patchScores.meanLogits, trace);
    const observed = { picture, models, ...scores, testStability };
    await meanwhile?.({ ...observed, seen });
    return { ...read, answered, observed, seen };
  };
  const [changes, copies, here] = await sideBySide([changing, copying, readHere()]);
  const { traces, spread, answered, observed, seen } = here;
  const { patchScores } = observed;
  const answers = methods.map((it, at) => {
    const isFound = copies !== null && it.method === copyMove.method;
    const known = isFound ? copies : answered[at];
    return known ?? it.examine({ picture, traces, changes, provenance });
  });
  const grid = gridOfMaps(picture.facts);
  const found = localise({
    facts: picture.facts,
    answers,
    grid,
    manifest: locator.manifest,
  });
  return {
    ...observed,
    seed,
    seen: {
      facts: picture.facts,
      model: identityOf(manifest),
      locator: identityOf(locator.manifest),
      measured: manifest.measured,
      measuredCalls: locator.manifest.called,
      predictions: seen.predictions,
      classUncertainties: spread.classUncertainties,
      classSimilarities: measureSimilarities(patchScores, statistics),
      anomaly: seen.anomaly,
      manipulation: found.manipulation,
      provenance,
      findings: answers.flatMap(findingOf),
      skipped: answers.filter(isSkipped),
      maps: drawMaps(patchScores, trace, grid, found),
      passes: traces.passes,
      patchesRead: traces.patchesRead,
      environment: environmentOf({ onnxruntime: trace.runtimeVersion, ...codecVersions() }),
    },
  };
}

async function readTraces(picture: Picture, model: TraceModel, seed: number) {
  const { manifest } = model;
  const patchScores = await readPatchScores(picture, model);
  const spread = await measureSpread(patchScores.readings, model, seed);
  const traces = {
    fakeProbability: toFakeProbability(patchScores.meanLogits, manifest),
    fakeUncertainty: spread.fakeUncertainty,
    patchesRead: patchScores.read.length,
    passes: manifest.dropout.passes,
  };
  return { patchScores, spread, traces };
}

/** All have ended when this ends, also when one fails: a network that still runs must not meet the next picture. */
async function sideBySide<All extends readonly unknown[]>(
  all: readonly [...All],
): Promise<{ -readonly [At in keyof All]: Awaited<All[At]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

function isSkipped(answer: Answer): answer is Skipped {
  return 'reason' in answer;
}
