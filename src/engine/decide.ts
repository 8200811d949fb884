/**
 * The decision. Pure: numbers and the model's thresholds in, class and reasons out.
 *
 * The strategy never touches real against fake, only whether to decide. Each of its limits is monotone from pedantic to
 * relaxed (the manifest is refused otherwise), so what is decided under one strategy is decided alike under the next.
 */

import type { DecisionStrategy, ReasonCode, ResultClass } from '../contract/vocabulary.ts';
import type { ModelManifest } from '../inference/manifest.ts';
import type { StrategyThresholds } from '../inference/manifest-parts.ts';
import type { ClassScores, Decision, Manipulation } from './result.ts';

export interface DecisionInput {
  /** Of the picture as it was examined. */
  readonly pixels: number;
  /** Whether at least one patch of the full size fits into the picture. */
  readonly hasFullPatch: boolean;
  readonly isPhotograph: boolean;
  readonly predictions: ClassScores;
  /** 0..2: how much trace there is, see `toTrace`. */
  readonly trace: number;
  /** 0..1: share of reference pictures nearer to training. */
  readonly anomalyScore: number;
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  /** Whether a change that every shared picture goes through leads to the other side; see `stability.ts`. */
  readonly isUnstable: boolean;
  readonly change: ChangeClaim;
  /** What the file declares about itself; see `declarationOf`. */
  readonly declaration: DeclarationEvidence | null;
}

/** What the verdict of the traces rests on, before it is put to the test. */
export type TraceClaim = Omit<DecisionInput, 'change' | 'isUnstable'>;

/** The combined result of the methods that look for local changes. */
export interface ChangeClaim extends Pick<Manipulation, 'probability'> {
  /** How many indicate a change by themselves, at least weakly. */
  readonly speaking: number;
  /** Whether one of them does so more than weakly. */
  readonly isStrong: boolean;
  /** Whether one of them is heard where all together suspect nothing. */
  readonly isHeard: boolean;
}

/** A declared generation, and whether a trusted signer signed it. */
export interface DeclarationEvidence {
  readonly subClass: 'ai-generated' | 'ai-manipulated';
  readonly isTrusted: boolean;
}

/**
 * How many standard deviations of the Monte Carlo passes must separate the probability from one half: the two-sided
 * 99, 80 and 50 % points of the normal distribution. The models' thresholds are fitted under these.
 */
const minDeviations = {
  pedantic: 2.576,
  default: 1.282,
  relaxed: 0.674,
} as const satisfies Record<DecisionStrategy, number>;

/** Thresholds of the trace network and of the localisation. */
type Rules = Pick<ModelManifest, 'thresholds' | 'compressedRegime' | 'smallRegime'> & {
  readonly localisation: Readonly<Record<ChangeLimit, StrategyThresholds>>;
};
type ChangeLimit = 'manipulatedMin' | 'suspectedMin';
type Limits = Readonly<
  Record<keyof ModelManifest['thresholds'] | ChangeLimit | 'minDeviations', number>
>;

export function decide(
  evidence: DecisionInput,
  rules: Rules,
  strategy: DecisionStrategy,
): Decision {
  const limits = applicableLimits(evidence, rules, strategy);
  const { fakeProbability, fakeUncertainty } = evidence;
  const byTraces = decideByTraces(evidence, limits);
  const byPixels = decideByChanges(evidence, limits, byTraces);
  const byDeclaration = decideByDeclaration(evidence, applicableLimits(evidence, rules, 'relaxed'));
  const { basis, ...conclusion } = byDeclaration ?? byPixels;
  const { resultClass, reasons } = byTraces;
  return {
    ...conclusion,
    basis,
    ...(basis === 'traces' ? {} : { byTraces: { resultClass, reasons } }),
    fakeProbability,
    fakeUncertainty,
    thresholds: limits,
  };
}

/**
 * Whether there is a verdict of the traces that has to pass the stability test. Beside a declaration the loosest strategy
 * decides this, because the two are compared under it.
 */
export function needsStabilityTest(
  evidence: TraceClaim,
  rules: Rules,
  strategy: DecisionStrategy,
): boolean {
  const limits = applicableLimits(
    evidence,
    rules,
    evidence.declaration === null ? strategy : 'relaxed',
  );
  const { resultClass } = decideByTraces({ ...evidence, isUnstable: false }, limits);
  return resultClass === 'real' || resultClass === 'fake';
}

type Conclusion = Pick<Decision, 'resultClass' | 'resultSubClasses' | 'reasons' | 'basis'>;

/** The trace network has learned generated pictures only, so that is all it can name. */
function decideByTraces(evidence: Omit<DecisionInput, 'change'>, limits: Limits): Conclusion {
  const abstains = reasonsToAbstain(evidence, limits);
  const doubts = reasonsToDoubt(evidence, limits);
  const resultClass = toClass(evidence.fakeProbability, abstains, doubts);
  return {
    resultClass,
    resultSubClasses: resultClass === 'fake' ? ['ai-generated'] : [],
    reasons: abstains.length > 0 ? abstains : doubts,
    basis: 'traces',
  };
}

/**
 * A changed part makes the picture fake, whatever the traces of the whole picture indicate; but only a photograph of
 * sufficient size with usable traces is called changed: drawings and screens have sharp seams and repeated shapes by nature. Weaker signs still prevent the picture from being called real. The pixels do not show
 * whether a generator painted the part: only a declaration makes it `ai-manipulated`.
 */
function decideByChanges(
  evidence: DecisionInput,
  limits: Limits,
  byTraces: Conclusion,
): Conclusion {
  const { change, hasFullPatch, isPhotograph, trace } = evidence;
  const isSupported = change.isStrong || change.speaking > 1;
  const isInDomain = hasFullPatch && isPhotograph && trace >= limits.traceMin;
  if (isInDomain && isSupported && change.probability >= limits.manipulatedMin) {
    const subClasses = [...byTraces.resultSubClasses, 'manipulated'] as const;
    const basis = byTraces.resultClass === 'fake' ? 'traces' : 'localisation';
    return { resultClass: 'fake', resultSubClasses: subClasses, reasons: [], basis };
  }
  const signs = signsOfChange(change, limits);
  const { resultClass, reasons } = byTraces;
  if (signs.length === 0 || resultClass === 'fake' || resultClass === 'abstain') return byTraces;
  return { ...byTraces, resultClass: 'uncertain', reasons: [...reasons, ...signs] };
}

function signsOfChange(
  { probability, speaking, isStrong, isHeard }: ChangeClaim,
  limits: Limits,
): readonly ReasonCode[] {
  // The others look for other changes: their silence does not answer it.
  if (probability < limits.suspectedMin && !isHeard) return [];
  const isSingle = speaking === 1 && !isStrong;
  return ['manipulation_suspected', ...(isSingle ? (['single_weak_method'] as const) : [])];
}

/**
 * A file that declares itself generated is believed: a generated picture gains nothing from a false declaration, and a
 * missing one never counts. But anyone can write one into an honest photograph to discredit it, so without a trusted
 * signature and with traces that indicate a camera, the contradiction stays open. Checked under the loosest limits whatever
 * the strategy, or a picture could be decided under a strict strategy and open under a looser one.
 */
function decideByDeclaration(evidence: DecisionInput, loosest: Limits): Conclusion | null {
  const { declaration } = evidence;
  if (declaration === null) return null;
  const byTraces = decideByTraces(evidence, loosest);
  const isContradicted =
    !declaration.isTrusted &&
    byTraces.resultClass === 'real' &&
    decideByChanges(evidence, loosest, byTraces).resultClass !== 'fake';
  return {
    resultClass: isContradicted ? 'uncertain' : 'fake',
    resultSubClasses: isContradicted ? [] : [declaration.subClass],
    reasons: isContradicted ? ['declaration_contradicts_traces'] : [],
    basis: 'declaration',
  };
}

/**
 * In smaller pictures a change is only suspected: on the calibration part its probability separates changed pictures from their
 * untouched counterparts with an AUC of 0.6 to 0.7, in larger ones of 0.8 (models/experiments).
 */
const minPixelsOfChange = 256 * 256;
const neverReached = 1;

function applicableLimits(
  { predictions, pixels }: Pick<DecisionInput, 'predictions' | 'pixels'>,
  { thresholds, compressedRegime, smallRegime, localisation }: Rules,
  strategy: DecisionStrategy,
): Limits {
  const isCompressed =
    compressedRegime !== null && predictions.compression >= compressedRegime.from;
  const isSmall = smallRegime !== null && pixels < smallRegime.below;
  const { fakeMin } = isCompressed ? compressedRegime : thresholds;
  return {
    fakeMin: Math.max(fakeMin[strategy], isSmall ? smallRegime.fakeMin[strategy] : 0),
    realMax: thresholds.realMax[strategy],
    traceMin: thresholds.traceMin[strategy],
    compressionMax: thresholds.compressionMax[strategy],
    anomalyMax: thresholds.anomalyMax[strategy],
    minDeviations: minDeviations[strategy],
    manipulatedMin:
      pixels < minPixelsOfChange ? neverReached : localisation.manipulatedMin[strategy],
    suspectedMin: localisation.suspectedMin[strategy],
  };
}

/** Outside the validated domain there is no decision between real and fake. */
function reasonsToAbstain(evidence: TraceClaim, limits: Limits): readonly ReasonCode[] {
  const checks: readonly (readonly [ReasonCode, boolean])[] = [
    ['too_small', !evidence.hasFullPatch],
    ['too_compressed', evidence.predictions.compression > limits.compressionMax],
    ['no_usable_trace', evidence.trace < limits.traceMin],
    ['not_a_photograph', !evidence.isPhotograph],
    ['outside_training_domain', evidence.anomalyScore > limits.anomalyMax],
  ];
  return checks.filter(([, applies]) => applies).map(([reason]) => reason);
}

function reasonsToDoubt(
  evidence: Omit<DecisionInput, 'change'>,
  limits: Limits,
): readonly ReasonCode[] {
  const { fakeProbability, fakeUncertainty } = evidence;
  const margin = Math.abs(fakeProbability - 0.5);
  const isClear =
    fakeProbability >= 0.5 ? fakeProbability >= limits.fakeMin : fakeProbability <= limits.realMax;
  const checks: readonly (readonly [ReasonCode, boolean])[] = [
    ['margin_within_uncertainty', margin <= limits.minDeviations * fakeUncertainty],
    ['evidence_below_threshold', !isClear],
    ['unstable_under_resaving', evidence.isUnstable],
  ];
  return checks.filter(([, applies]) => applies).map(([reason]) => reason);
}

function toClass(
  fakeProbability: number,
  abstains: readonly ReasonCode[],
  doubts: readonly ReasonCode[],
): ResultClass {
  if (abstains.length > 0) return 'abstain';
  if (doubts.length > 0) return 'uncertain';
  return fakeProbability >= 0.5 ? 'fake' : 'real';
}
