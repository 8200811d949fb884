/**
 * Picture and models in, examination out: everything that a later answer, another tier, heatmaps or a report needs. Pure
 * but for the environment it records: no database, no network, no clock. Same picture, models, options and environment:
 * the same bytes.
 */

import type { DecisionStrategy } from '../contract/vocabulary.ts';
import type { Detector } from '../detectors/detector.ts';
import { isPhotograph } from '../detectors/photograph-likeness.ts';
import type { Picture } from '../image/picture.ts';
import type { Provenance } from '../provenance/provenance.ts';
import { toTrace } from './calibration.ts';
import {
  type ChangeClaim,
  decide,
  type DeclarationEvidence,
  needsStabilityTest,
  type TraceEvidence,
} from './decide.ts';
import { type Models, type Observation, observe, type TracesSeen } from './observe.ts';
import { insideGrid } from './feature-grid.ts';
import type { Examination } from './result.ts';

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
  // The test of the traces' verdict asks nothing of the methods that look for changes, so it need not wait for them.
  const test = (traces: TracesSeen) => testIfDecided(traces, decisionStrategy);
  const observation = await observe(picture, models, seed, provenance, methods, test);
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

/** The decision, and the test that a verdict of the traces has to stand. */
export async function conclude(
  observation: Observation,
  decisionStrategy: DecisionStrategy,
): Promise<Examination> {
  const { seen, seed } = observation;
  const stability = await testIfDecided(observation, decisionStrategy);
  const isUnstable = stability?.holds === false;
  const evidence = { ...traceEvidenceOf(observation), change: changeOf(seen), isUnstable };
  return {
    ...seen,
    options: { decisionStrategy, seed },
    decision: decide(evidence, rulesOf(observation), decisionStrategy),
    stability,
  };
}

/** Null where the traces give no verdict. */
async function testIfDecided(traces: TracesSeen, strategy: DecisionStrategy) {
  const evidence = traceEvidenceOf(traces);
  if (!needsStabilityTest(evidence, rulesOf(traces), strategy)) return null;
  return traces.testStability(evidence.fakeProbability >= 0.5);
}

function rulesOf({ models: { trace, locator } }: TracesSeen) {
  return { ...trace.manifest, localisation: locator.manifest.thresholds };
}

function traceEvidenceOf(traces: TracesSeen): TraceEvidence {
  const { seen, picture, patchScores, models, fakeProbability, fakeUncertainty } = traces;
  return {
    fakeProbability,
    fakeUncertainty,
    predictions: seen.predictions,
    trace: toTrace(patchScores.meanLogits, models.trace.manifest),
    anomalyScore: seen.anomaly.score ?? 0,
    pixels: picture.facts.width * picture.facts.height,
    hasFullPatch: hasFullPatch(traces),
    isPhotograph: isPhotograph(seen.findings),
    declaration: declarationOf(seen.provenance),
  };
}

function changeOf({ manipulation, findings }: Observation['seen']): ChangeClaim {
  if (manipulation === null) throw new TypeError('local changes were not looked for');
  const { probability, methods } = manipulation;
  const strong = findings.filter(
    ({ method, strength }) => methods.includes(method) && strength !== 'weak',
  );
  return { probability, speaking: methods.length, isStrong: strong.length > 0 };
}

/** The best vouched-for declaration of generated content; null when the file declares none. */
function declarationOf({ declarations }: Provenance): DeclarationEvidence | null {
  let best: DeclarationEvidence | null = null;
  for (const { origin, assurance } of declarations) {
    if (origin === 'captured') continue;
    const isTrusted = assurance === 'trusted';
    if (best === null || (isTrusted && !best.isTrusted)) best = { subClass: origin, isTrusted };
  }
  return best;
}

function hasFullPatch({ picture, models }: TracesSeen): boolean {
  const { cellPx, patchCells } = models.trace.manifest.input;
  const { columns, rows } = insideGrid(picture.facts, cellPx);
  return columns >= patchCells && rows >= patchCells;
}
