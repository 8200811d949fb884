/**
 * Picture and model in, examination out: everything that a later answer, another tier, heatmaps or a report needs. Pure
 * but for the environment it records: no database, no network, no clock. Same picture, model, options and environment:
 * the same bytes.
 */

import type { Answer, Finding } from '../detectors/finding.ts';
import { detectors } from '../detectors/list.ts';
import { isPhotograph } from '../detectors/photograph-likeness.ts';
import { codecVersions } from '../image/codec.ts';
import type { Picture } from '../image/picture.ts';
import type { TraceModel } from '../inference/trace-model.ts';
import { noProvenance, type Provenance } from '../provenance/provenance.ts';
import { measureAnomaly } from './anomaly.ts';
import { toFakeProbability, toPredictions, toTrace } from './calibration.ts';
import { decide, type DeclarationEvidence, type Evidence, needsStabilityTest } from './decide.ts';
import { environmentOf } from './environment.ts';
import { insideGrid } from './grid.ts';
import { cellDistances, drawMaps } from './maps.ts';
import { identityOf } from './model-identity.ts';
import { measureSpread } from './monte-carlo.ts';
import { type Reading, readPicture } from './reading.ts';
import type { DecisionStrategy, Examination } from './result.ts';
import { measureSimilarities } from './similarity.ts';
import { createStabilityTest, type StabilityTest } from './stability.ts';

type Options = Examination['options'];

/** @param provenance - what the file says about itself, read from the same bytes as `picture`. */
export async function examine(
  picture: Picture,
  model: TraceModel,
  options: Options,
  provenance: Provenance = noProvenance,
): Promise<Examination> {
  const reading = await readPicture(picture, model);
  return conclude({ picture, model, options, provenance, reading });
}

interface Case {
  readonly picture: Picture;
  readonly model: TraceModel;
  readonly options: Options;
  readonly provenance: Provenance;
  readonly reading: Reading;
  /** The picture's own; given where one reading is concluded several times, so that it is put to the test once. */
  readonly testStability?: StabilityTest;
}

/** One reading under every strategy; read once and put to the test of stability at most once. */
export async function concludeUnderEvery(
  given: Omit<Case, 'options'>,
  seed: number,
): Promise<Readonly<Record<DecisionStrategy, Examination>>> {
  const testStability = createStabilityTest(given.picture, given.model);
  const under = (decisionStrategy: DecisionStrategy) =>
    conclude({ testStability, ...given, options: { decisionStrategy, seed } });
  const [pedantic, balanced, relaxed] = [
    await under('pedantic'),
    await under('default'),
    await under('relaxed'),
  ];
  return { pedantic, default: balanced, relaxed };
}

/** Everything after the pixels were read; cheap, so one reading can be concluded under several options. */
export async function conclude(given: Case): Promise<Examination> {
  const { picture, model, options, provenance, reading } = given;
  const { manifest, statistics } = model;
  const spread = await measureSpread(reading, model, options.seed);
  const predictions = toPredictions(reading.meanLogits, manifest);
  const anomaly = measureAnomaly(reading, cellDistances(reading), statistics);
  const traces = {
    fakeProbability: toFakeProbability(reading.meanLogits, manifest),
    fakeUncertainty: spread.fakeUncertainty,
    patchesRead: reading.read.length,
    passes: manifest.dropout.passes,
  };
  const input = { picture, traces, provenance, changes: null };
  const results = detectors.map((detector) => detector.examine(input));
  const findings = results.flatMap((result) => findingOf(result) ?? []);
  const evidence = {
    ...traces,
    predictions,
    trace: toTrace(reading.meanLogits, manifest),
    anomalyScore: anomaly.score,
    hasFullPatch: hasFullPatch(picture, model),
    isPhotograph: isPhotograph(findings),
    declaration: declarationOf(provenance),
  };
  return {
    facts: picture.facts,
    options,
    model: identityOf(manifest),
    measured: manifest.measured,
    ...(await settle(given, evidence)),
    predictions,
    classUncertainties: spread.classUncertainties,
    classSimilarities: measureSimilarities(reading, statistics),
    anomaly,
    provenance,
    findings,
    skipped: results.filter((result) => 'reason' in result),
    maps: drawMaps(reading, model),
    passes: traces.passes,
    patchesRead: traces.patchesRead,
    environment: environmentOf({ onnxruntime: model.runtimeVersion, ...codecVersions() }),
  };
}

/** The decision, and the test that a verdict of the traces has to stand. */
async function settle(
  { picture, model, options, testStability = createStabilityTest(picture, model) }: Case,
  evidence: Omit<Evidence, 'isUnstable'>,
): Promise<Pick<Examination, 'decision' | 'stability'>> {
  const { decisionStrategy } = options;
  const isTested = needsStabilityTest(evidence, model.manifest, decisionStrategy);
  const stability = isTested ? await testStability(evidence.fakeProbability >= 0.5) : null;
  const isUnstable = stability?.holds === false;
  const decision = decide({ ...evidence, isUnstable }, model.manifest, decisionStrategy);
  return { decision, stability };
}

function findingOf(result: Answer): Finding | null {
  if ('reason' in result) return null;
  return 'finding' in result ? result.finding : result;
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

function hasFullPatch({ facts }: Picture, { manifest }: TraceModel): boolean {
  const { cellPx, patchCells } = manifest.input;
  const { columns, rows } = insideGrid(facts, cellPx);
  return columns >= patchCells && rows >= patchCells;
}
