/** Makes every measurement on a picture, in one pass, and then decides. One observation serves every strategy. */

import { cpus } from 'node:os';
import { copyMove } from '../detectors/copy-move/copy-move.ts';
import { changedWords } from '../detectors/words/changed-words.ts';
import type { Detector, DetectorInput, Finding } from '../detectors/detector.ts';
import { detectors } from '../detectors/list.ts';
import {
  findGeneratorSize,
  localisationNetwork,
  pictureSize,
} from '../detectors/network-findings.ts';
import { isPhotograph } from '../detectors/photograph-likeness.ts';
import { codecVersions } from '../image/codec.ts';
import type { Picture } from '../image/picture.ts';
import type { ModelManifest } from '../contract/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import { noProvenance, type Provenance } from '../contract/provenance.ts';
import { measureAnomaly, measureSimilarities } from './anomaly.ts';
import { createRandom, toFakeProbability, toPredictions, toTrace, updated } from './calibration.ts';
import { decide, type DeclarationEvidence, needsStabilityTest, type TraceClaim } from './decide.ts';
import { insideGrid } from './patches.ts';
import { findingsIn, localise } from './localisation.ts';
import { cellDistances, drawMaps, drawTraces, gridOfMaps } from './maps.ts';
import { type Readings, readPatchScores, weightedLogits } from './patch-scores.ts';
import { type Examination, identifyModel } from '../detectors/result.ts';
import { type Models, type OpeningModels, runOnThreads } from './schedule.ts';
import { createStabilityTest, type StabilityTest } from './stability.ts';
import type { DecisionStrategy } from '../contract/vocabulary.ts';
import { packageVersion } from '../version.ts';

/** The trace network's results, available while the localisation network may still be running. */
export interface TraceObservation {
  readonly models: Models;
  readonly traces: TraceClaim;
  /** Runs the trials only once, however many strategies request them. */
  readonly testStability: StabilityTest;
}

type Observation = Awaited<ReturnType<typeof observe>>;

/**
 * @param readProvenance - reads the statements of the picture's file; called once the localisation network is running.
 * @param methods - methods to run: all, those that a verdict needs, or fewer, to measure what the others contribute.
 * @param whileWaiting - work to do before waiting for the localisation network.
 */
export async function observe(
  picture: Picture,
  opening: OpeningModels,
  seed: number,
  readProvenance: () => Provenance | Promise<Provenance> = () => noProvenance,
  methods: readonly Detector[] = detectors,
  whileWaiting?: (traces: TraceObservation) => Promise<unknown>,
) {
  const { facts } = picture;
  const grid = gridOfMaps(facts);
  const main = await runOnThreads(picture, opening, async (inThread) => {
    const provenance = await readProvenance();
    const models: Models = { ...opening, trace: await opening.trace };
    const { trace } = models;
    const read = await readTraces(picture, trace, seed);
    const { words } = opening.locator.manifest;
    const input = { picture, traces: read.evidence, words, provenance };
    const isLeft = (it: Detector) => it === copyMove && inThread.copies !== null;
    // Models without a list of sizes, or without words, come from versions that did not have these methods.
    const isKnown = (it: Detector) =>
      (it !== pictureSize || trace.manifest.generatorSizes.length > 0) &&
      (it !== changedWords || words !== null);
    const used = methods.filter(isKnown);
    const early = used.map((it) =>
      it === localisationNetwork || isLeft(it) ? null : it.examine({ ...input, changes: null }),
    );
    const findings = early.flatMap((answer) => (answer === null ? [] : findingsIn(answer)));
    const traces = toTraceClaim(read, input, findings, trace);
    const { size } = read.evidence;
    const { meanLogits } = read.patchScores;
    const testStability = createStabilityTest(picture, meanLogits, trace, size?.ratio);
    const observed = { models, traces, testStability };
    await whileWaiting?.(observed);
    const drawn = drawTraces(read.patchScores, trace, grid);
    const changes = await inThread.changes;
    const answered = used.map((it, at) =>
      isLeft(it) ? null : (early[at] ?? it.examine({ ...input, changes })),
    );
    const copies = await inThread.copies;
    return { read, input, answers: answered.map((answer) => answer ?? copies!), observed, drawn };
  });
  const { read, input, answers, observed, drawn } = main;
  const { models } = observed;
  const { locator } = models;
  const localisation = localise({ facts, answers, grid, manifest: locator.manifest });
  return {
    ...observed,
    seed,
    patchScores: read.patchScores,
    change: localisation.change,
    /** The part of the examination that does not depend on the strategy. */
    seen: {
      facts,
      ...describeModels(models),
      ...read.scores,
      manipulation: localisation.manipulation,
      provenance: input.provenance,
      findings: answers.flatMap(findingsIn),
      skipped: answers.filter((answer) => 'reason' in answer),
      maps: drawMaps(drawn, localisation),
      passes: read.evidence.passes,
      patchesRead: read.evidence.patchesRead,
    },
  };
}

async function readTraces(picture: Picture, model: TraceModel, seed: number) {
  const { manifest, statistics } = model;
  const patchScores = await readPatchScores(picture, model);
  const { classUncertainties, fakeUncertainty } = await measureSpread(
    patchScores.readings,
    model,
    seed,
  );
  return {
    patchScores,
    evidence: {
      fakeProbability: toFakeProbability(patchScores.meanLogits, manifest),
      fakeUncertainty,
      patchesRead: patchScores.read.length,
      passes: manifest.dropout.passes,
      kind: patchScores.transformer && {
        ...patchScores.transformer,
        photographMin: manifest.transformer!.photographMin,
      },
      size: findGeneratorSize(picture.facts, manifest),
    },
    scores: {
      predictions: toPredictions(patchScores.meanLogits, manifest),
      classUncertainties,
      classSimilarities: measureSimilarities(patchScores, statistics),
      anomaly: measureAnomaly(patchScores, cellDistances(patchScores), statistics),
    },
  };
}

function toTraceClaim(
  { patchScores, evidence, scores }: Awaited<ReturnType<typeof readTraces>>,
  { picture: { facts, luma }, provenance }: Pick<DetectorInput, 'picture' | 'provenance'>,
  findings: readonly Finding[],
  { manifest }: TraceModel,
): TraceClaim {
  const { cellPx, patchCells } = manifest.input;
  const inside = insideGrid(facts, cellPx);
  const isLikePhotograph = isPhotograph(findings);
  return {
    fakeProbability: updated(evidence.fakeProbability, evidence.size?.ratio ?? 1),
    fakeUncertainty: evidence.fakeUncertainty,
    predictions: scores.predictions,
    trace: isLikePhotograph && hasFewTones(luma) ? 0 : toTrace(patchScores.meanLogits, manifest),
    anomalyScore: scores.anomaly.score,
    pixels: facts.width * facts.height,
    hasMissingRows: facts.soundShare !== undefined,
    hasFullPatch: inside.columns >= patchCells && inside.rows >= patchCells,
    isPhotograph: isLikePhotograph,
    declaration: strongestDeclaration(provenance),
  };
}

const fewTones = 16;

/** As with a palette of so few colours, which leaves no trace, and whose dithering looks like the noise of a camera. */
function hasFewTones(luma: Uint8Array): boolean {
  const tones = new Set<number>();
  for (let at = 0; at < luma.length && tones.size <= fewTones; at++) tones.add(luma[at]!);
  return tones.size <= fewTones;
}

function describeModels({ trace, locator }: Models) {
  return {
    model: identifyModel(trace.manifest),
    locator: identifyModel(locator.manifest),
    measured: trace.manifest.measured,
    measuredCalls: locator.manifest.called,
    environment: {
      forensics: packageVersion(),
      node: process.versions.node,
      onnxruntime: trace.runtimeVersion,
      ...codecVersions(),
      platform: `${process.platform}-${process.arch}`,
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
    },
  };
}

/** The declaration of generated content with the best assurance; null if the file has none. */
function strongestDeclaration({ declarations }: Provenance): DeclarationEvidence | null {
  const all = declarations.flatMap(({ origin, assurance }) =>
    origin === 'captured' ? [] : { subClass: origin, isTrusted: assurance === 'trusted' },
  );
  return all.find(({ isTrusted }) => isTrusted) ?? all[0] ?? null;
}

// Monte Carlo dropout: the head scores the same patches many times, each time without a random subset of the features,
// and the spread of its outputs measures its uncertainty (Gal and Ghahramani, "Dropout as a Bayesian approximation",
// ICML 2016). The spread of a single network is only a lower bound on its true uncertainty.

/**
 * @param seed - any integer; the same seed gives the same masks, and so the same numbers.
 * @returns standard deviations over the passes: `classUncertainties`, of each calibrated prediction, 0..0.5;
 *   `fakeUncertainty`, of the calibrated probability of fake.
 */
async function measureSpread(readings: Readings, model: TraceModel, seed: number) {
  const { manifest } = model;
  const { features, weights } = readings;
  const { passes } = manifest.dropout;
  const count = weights.length;
  const channels = features.length / count;
  const masks = dropoutMasks(manifest.dropout, channels, seed);
  const { logits } = await model.readHead(features, count, masks, passes);

  const means = Array.from({ length: passes }, (_, pass) =>
    weightedLogits(logits.subarray(3 * pass * count, 3 * (pass + 1) * count), readings),
  );
  const predictions = means.map((mean) => toPredictions(mean, manifest));
  return {
    classUncertainties: {
      real: standardDeviation(predictions.map(({ real }) => real)),
      fake: standardDeviation(predictions.map(({ fake }) => fake)),
      compression: standardDeviation(predictions.map(({ compression }) => compression)),
    },
    fakeUncertainty: standardDeviation(means.map((mean) => toFakeProbability(mean, manifest))),
  };
}

/** `[passes, channels]`: 0 with probability `rate`, otherwise 1 / (1 - rate), which preserves the mean. */
function dropoutMasks({ rate, passes }: ModelManifest['dropout'], channels: number, seed: number) {
  const random = createRandom(seed);
  const masks = new Float32Array(passes * channels);
  for (let at = 0; at < masks.length; at++) masks[at] = random() < rate ? 0 : 1 / (1 - rate);
  return masks;
}

/** Population standard deviation (divided by n, not n - 1): the passes are the whole population. */
function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / values.length);
}

// From an observation to an examination, which is everything that another strategy, tier, heatmap or report will need
// later. Pure, apart from recording the environment: the same picture, models and options give the same bytes.

/** As `observe`, then decides. */
export async function examine(
  picture: Picture,
  models: OpeningModels,
  { decisionStrategy, seed }: Examination['options'],
  readProvenance?: () => Provenance | Promise<Provenance>,
  methods?: readonly Detector[],
): Promise<Examination> {
  // The stability test does not depend on the methods that look for changes, so they run at the same time.
  const observation = await observe(picture, models, seed, readProvenance, methods, (traces) =>
    testIfDecided(traces, decisionStrategy),
  );
  return conclude(observation, decisionStrategy);
}

/** Makes a decision under every strategy, from a single observation. */
export async function concludeUnderEvery(observation: Observation) {
  return {
    pedantic: await conclude(observation, 'pedantic'),
    default: await conclude(observation, 'default'),
    relaxed: await conclude(observation, 'relaxed'),
  };
}

/** Makes a decision; if the traces give a verdict, runs the stability test first. */
export async function conclude(observation: Observation, decisionStrategy: DecisionStrategy) {
  const { seen, seed, traces, change } = observation;
  const stability = await testIfDecided(observation, decisionStrategy);
  const evidence = { ...traces, change, isUnstable: stability?.holds === false };
  return {
    ...seen,
    options: { decisionStrategy, seed },
    decision: decide(evidence, decisionRules(observation), decisionStrategy),
    stability,
  };
}

/** Returns null if the traces give no verdict. */
async function testIfDecided(observation: TraceObservation, strategy: DecisionStrategy) {
  const { traces, testStability } = observation;
  if (!needsStabilityTest(traces, decisionRules(observation), strategy)) return null;
  return testStability(traces.fakeProbability >= 0.5);
}

function decisionRules({ models: { trace, locator } }: TraceObservation) {
  return { ...trace.manifest, localisation: locator.manifest.thresholds };
}
