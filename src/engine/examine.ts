/**
 * Picture and models in, examination out: everything that a later answer, another tier, heatmaps or a report needs. Pure
 * but for the environment it records: no database, no network, no clock. Same picture, models, options and environment:
 * the same bytes.
 */

import type { DecisionStrategy } from '../contract/vocabulary.ts';
import type { Detector } from '../detectors/detector.ts';
import type { Picture } from '../image/picture.ts';
import type { Provenance } from '../provenance/provenance.ts';
import { decide, needsStabilityTest } from './decide.ts';
import { type Observation, observe, type TraceObservation } from './observe.ts';
import type { Examination } from './result.ts';
import type { Models } from './schedule.ts';

/**
 * @param provenance - the file's own statements, read from the same bytes as `picture`.
 * @param methods - those that run; all where none are named.
 */
export async function examine(
  picture: Picture,
  models: Models,
  { decisionStrategy, seed }: Examination['options'],
  provenance?: Provenance,
  methods?: readonly Detector[],
): Promise<Examination> {
  // The stability test needs nothing of the methods that look for changes, so it runs while they do.
  const whileWaiting = (traces: TraceObservation) => testIfDecided(traces, decisionStrategy);
  const observation = await observe(picture, models, seed, provenance, methods, whileWaiting);
  return conclude(observation, decisionStrategy);
}

/** One observation under every strategy. */
export async function concludeUnderEvery(
  observation: Observation,
): Promise<Readonly<Record<DecisionStrategy, Examination>>> {
  return {
    pedantic: await conclude(observation, 'pedantic'),
    default: await conclude(observation, 'default'),
    relaxed: await conclude(observation, 'relaxed'),
  };
}

/** The decision, and the stability test that a verdict of the traces has to pass. */
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

/** Null where the traces give no verdict. */
async function testIfDecided(observation: TraceObservation, strategy: DecisionStrategy) {
  const { traces, testStability } = observation;
  if (!needsStabilityTest(traces, decisionRules(observation), strategy)) return null;
  return testStability(traces.fakeProbability >= 0.5);
}

function decisionRules({ models: { trace, locator } }: TraceObservation) {
  return { ...trace.manifest, localisation: locator.manifest.thresholds };
}
