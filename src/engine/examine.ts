/**
 * Turns a picture and models into an examination: everything that another strategy, tier, heatmap
 * or report will need later. It is pure, apart from recording the environment: no database, network
 * or clock. The same picture, models, options and environment give the same bytes.
 */

import type { DecisionStrategy } from '../contract/vocabulary.ts';
import type { Detector } from '../detectors/detector.ts';
import type { Picture } from '../image/picture.ts';
import type { Provenance } from '../provenance/provenance.ts';
import { decide, needsStabilityTest } from './decide.ts';
import { type Observation, observe, type TraceObservation } from './observe.ts';
import type { Examination } from './result.ts';
import type { OpeningModels } from './schedule.ts';

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
export async function concludeUnderEvery(
  observation: Observation,
): Promise<Readonly<Record<DecisionStrategy, Examination>>> {
  return {
    pedantic: await conclude(observation, 'pedantic'),
    default: await conclude(observation, 'default'),
    relaxed: await conclude(observation, 'relaxed'),
  };
}

/** Makes a decision; if the traces give a verdict, runs the stability test first. */
export async function conclude(
  observation: Observation,
  decisionStrategy: DecisionStrategy,
): Promise<Examination> {
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
