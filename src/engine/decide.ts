/**
 * The decision. Pure: numbers and the model's thresholds in, class and reasons out.
 *
 * The strategy never touches real against fake, only whether to decide. Each of its limits is monotone from pedantic to
 * relaxed (the manifest is refused otherwise), so what is decided under one strategy is decided alike under the next.
 */

import type { ModelManifest } from '../inference/model.ts';
import type {
  ClassScores,
  Decision,
  DecisionStrategy,
  ReasonCode,
  ResultClass,
  ResultSubClass,
} from './result.ts';

export interface Evidence {
  /** Whether at least one patch of the full size fits into the picture. */
  readonly hasFullPatch: boolean;
  readonly isPhotograph: boolean;
  readonly predictions: ClassScores;
  /** 0..1: share of reference pictures nearer to training. */
  readonly anomalyScore: number;
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
}

/**
 * How many standard deviations of the Monte Carlo passes must lie between the probability and one half: the two-sided
 * 99, 95 and 80 % points of the normal distribution.
 */
const leastDeviations = {
  pedantic: 2.576,
  default: 1.96,
  relaxed: 1.282,
} as const satisfies Record<DecisionStrategy, number>;

type Limits = Readonly<Record<keyof ModelManifest['thresholds'] | 'leastDeviations', number>>;

export function decide(
  evidence: Evidence,
  manifest: Pick<ModelManifest, 'thresholds'>,
  strategy: DecisionStrategy,
): Decision {
  const limits = limitsOf(manifest, strategy);
  const { fakeProbability, fakeUncertainty } = evidence;
  const abstains = reasonsToAbstain(evidence, limits);
  const doubts = reasonsToDoubt(evidence, limits);
  const resultClass = classOf(fakeProbability, abstains, doubts);
  return {
    resultClass,
    resultSubClasses: subClassesOf(resultClass),
    reasons: abstains.length > 0 ? abstains : doubts,
    fakeProbability,
    fakeUncertainty,
    thresholds: limits,
  };
}

function limitsOf(
  { thresholds }: Pick<ModelManifest, 'thresholds'>,
  strategy: DecisionStrategy,
): Limits {
  return {
    fakeMin: thresholds.fakeMin[strategy],
    realMax: thresholds.realMax[strategy],
    traceMin: thresholds.traceMin[strategy],
    compressionMax: thresholds.compressionMax[strategy],
    anomalyMax: thresholds.anomalyMax[strategy],
    leastDeviations: leastDeviations[strategy],
  };
}

/** Outside the validated domain nothing is said about real or fake. */
function reasonsToAbstain(evidence: Evidence, limits: Limits): readonly ReasonCode[] {
  const { real, fake, compression } = evidence.predictions;
  const checks: readonly (readonly [ReasonCode, boolean])[] = [
    ['too_small', !evidence.hasFullPatch],
    ['too_compressed', compression > limits.compressionMax],
    ['no_usable_trace', real + fake < limits.traceMin],
    ['not_a_photograph', !evidence.isPhotograph],
    ['outside_training_domain', evidence.anomalyScore > limits.anomalyMax],
  ];
  return checks.filter(([, applies]) => applies).map(([reason]) => reason);
}

function reasonsToDoubt(evidence: Evidence, limits: Limits): readonly ReasonCode[] {
  const { fakeProbability, fakeUncertainty } = evidence;
  const margin = Math.abs(fakeProbability - 0.5);
  const isClear =
    fakeProbability >= 0.5 ? fakeProbability >= limits.fakeMin : fakeProbability <= limits.realMax;
  const checks: readonly (readonly [ReasonCode, boolean])[] = [
    ['margin_within_uncertainty', margin <= limits.leastDeviations * fakeUncertainty],
    ['evidence_below_threshold', !isClear],
  ];
  return checks.filter(([, applies]) => applies).map(([reason]) => reason);
}

function classOf(
  fakeProbability: number,
  abstains: readonly ReasonCode[],
  doubts: readonly ReasonCode[],
): ResultClass {
  if (abstains.length > 0) return 'abstain';
  if (doubts.length > 0) return 'uncertain';
  return fakeProbability >= 0.5 ? 'fake' : 'real';
}

/** The trace network has learned generated pictures only, so that is all it can name. */
function subClassesOf(resultClass: ResultClass): readonly ResultSubClass[] {
  return resultClass === 'fake' ? ['ai-generated'] : [];
}
