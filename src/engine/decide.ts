/**
 * Makes the decision. Pure: takes numbers and the model's thresholds, and returns a class and the reasons.
 *
 * A strategy never turns real into fake or vice versa; it only determines whether to decide. Each of its limits is
 * monotone from pedantic to relaxed (any other manifest is rejected), so a decision made under one strategy stays the
 * same under every looser one.
 */

import type { DecisionStrategy, ReasonCode } from '../contract/vocabulary.ts';
import type { ModelManifest, SizeRegime } from '../contract/manifest.ts';
import type { StrategyThresholds } from '../contract/manifest-fields.ts';
import type { ClassScores, Decision, Manipulation } from '../detectors/result.ts';

interface DecisionInput {
  readonly pixels: number;
  /** Whether the end of the file is missing, so that rows of the picture are grey or black. */
  readonly hasMissingRows: boolean;
  /** Whether at least one full-size patch fits into the picture. */
  readonly hasFullPatch: boolean;
  readonly isPhotograph: boolean;
  readonly predictions: ClassScores;
  /** Total trace evidence, 0..2, as in `toTrace`. */
  readonly trace: number;
  /** Share, 0..1, of reference pictures that are closer to the training data. */
  readonly anomalyScore: number;
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  /** Whether a common change, such as recompression, flips the verdict, as in `stability.ts`. */
  readonly isUnstable: boolean;
  readonly change: ChangeClaim;
  /** What the file declares about itself, as in `strongestDeclaration` in `observe.ts`. */
  readonly declaration: DeclarationEvidence | null;
}

/** What a verdict by traces is based on, before the stability test. */
export type TraceClaim = Omit<DecisionInput, 'change' | 'isUnstable'>;

/** The combined result of the methods that look for local changes. */
export interface ChangeClaim extends Pick<Manipulation, 'probability'> {
  /** Number of methods that indicate a change on their own, even weakly. */
  readonly indicating: number;
  /** Whether any of them indicates a change more than weakly. */
  readonly isStrong: boolean;
  /** Whether one of them is enough to suspect a change, even if the fusion suspects none. */
  readonly isSuspectedAlone: boolean;
  /** Whether a word of a page stands out. */
  readonly isWord: boolean;
}

/** A declaration of generated content, and whether a trusted signer vouches for it. */
export interface DeclarationEvidence {
  readonly subClass: 'ai-generated' | 'ai-manipulated';
  readonly isTrusted: boolean;
}

/**
 * By how many Monte Carlo standard deviations the probability must differ from one half: the two-sided 99, 80 and 50%
 * points of the normal distribution. The thresholds of the models were fitted with these values.
 */
const minDeviations: StrategyThresholds = { pedantic: 2.576, default: 1.282, relaxed: 0.674 };

/** Thresholds of the trace network and the localisation network. */
type Rules = Pick<
  ModelManifest,
  'thresholds' | 'compressedRegime' | 'smallRegime' | 'sizeRegime'
> & { readonly localisation: Readonly<Record<ChangeLimit, StrategyThresholds>> };
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
 * Whether the traces give a verdict, which must then pass the stability test. If the file contains a declaration, the
 * loosest strategy applies, because it is under that one that verdict and declaration are compared.
 */
export function needsStabilityTest(evidence: TraceClaim, rules: Rules, strategy: DecisionStrategy) {
  const compared = evidence.declaration === null ? strategy : 'relaxed';
  const limits = applicableLimits(evidence, rules, compared);
  const { resultClass } = decideByTraces({ ...evidence, isUnstable: false }, limits);
  return resultClass === 'real' || resultClass === 'fake';
}

type Conclusion = Pick<Decision, 'resultClass' | 'resultSubClasses' | 'reasons' | 'basis'>;

/** The trace network was trained on generated pictures only, so it can assign no subclass but `ai-generated`. */
function decideByTraces(evidence: Omit<DecisionInput, 'change'>, limits: Limits): Conclusion {
  const abstains = reasonsToAbstain(evidence, limits);
  const doubts = reasonsToDoubt(evidence, limits);
  const side = evidence.fakeProbability >= 0.5 ? 'fake' : 'real';
  const resultClass = abstains.length > 0 ? 'abstain' : doubts.length > 0 ? 'uncertain' : side;
  return {
    resultClass,
    resultSubClasses: resultClass === 'fake' ? ['ai-generated'] : [],
    reasons: abstains.length > 0 ? abstains : doubts,
    basis: 'traces',
  };
}

/**
 * A changed part makes the picture fake, whatever the traces of the whole picture indicate. Only a sufficiently large
 * photograph with usable traces is called changed, because sharp edges and repeated shapes are normal in drawings and
 * screenshots. Weaker evidence still prevents a verdict of real. The pixels do not show whether a generator painted the
 * part, so only a declaration leads to `ai-manipulated`.
 */
function decideByChanges(
  evidence: DecisionInput,
  limits: Limits,
  byTraces: Conclusion,
): Conclusion {
  const { change, hasFullPatch, isPhotograph, trace } = evidence;
  const isSupported = change.isStrong || change.indicating > 1;
  const isInDomain = hasFullPatch && isPhotograph && trace >= limits.traceMin;
  if (isInDomain && isSupported && change.probability >= limits.manipulatedMin) {
    const subClasses = [...byTraces.resultSubClasses, 'manipulated'] as const;
    const basis = byTraces.resultClass === 'fake' ? 'traces' : 'localisation';
    return { resultClass: 'fake', resultSubClasses: subClasses, reasons: [], basis };
  }
  const isSuspected = change.probability >= limits.suspectedMin || change.isSuspectedAlone;
  const { resultClass, reasons } = byTraces;
  if (!isSuspected || resultClass === 'fake') return byTraces;
  // Words are compared on documents too, whose traces cannot be judged.
  if (resultClass === 'abstain' && !change.isWord) return byTraces;
  // Each method looks for a different kind of change, so it counts for nothing if the others find none.
  const isSingle = change.indicating === 1 && !change.isStrong;
  const signs: readonly ReasonCode[] = isSingle
    ? ['manipulation_suspected', 'single_weak_method']
    : ['manipulation_suspected'];
  const doubts = resultClass === 'abstain' ? [] : reasons;
  return { ...byTraces, resultClass: 'uncertain', reasons: [...doubts, ...signs] };
}

/**
 * A declaration of generated content is normally believed, because nobody gains from falsely declaring a picture to be
 * generated; the lack of a declaration never counts. But anyone can discredit an authentic photograph by adding one. If
 * no trusted signer vouches for it and the traces indicate a camera, the contradiction is left open. This is checked
 * under the loosest limits, regardless of the strategy: otherwise, a strict strategy could reach a decision where a
 * looser one leaves the picture undecided.
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
 * Below this size, a change can only be suspected: on the calibration set, its probability separates changed pictures
 * from their originals with an AUC of 0.6 to 0.7, against 0.8 for larger pictures (models/experiments).
 */
const minPixelsOfChange = 256 * 256;
const aboveAnyProbability = 1;

function applicableLimits(
  { predictions, pixels, hasMissingRows }: TraceClaim,
  { thresholds, compressedRegime, smallRegime, sizeRegime, localisation }: Rules,
  strategy: DecisionStrategy,
): Limits {
  const isCompressed =
    compressedRegime !== null && predictions.compression >= compressedRegime.from;
  const isSmall = smallRegime !== null && pixels < smallRegime.below;
  const { fakeMin } = isCompressed ? compressedRegime : thresholds;
  // The smaller the pictures, the more photographs and generated ones look alike, so the limits move apart.
  const { perHalving, realPerHalving, below, downTo } = sizeRegime ?? noSizeRegime;
  const halvings = Math.max(0, Math.log2(below / Math.max(pixels, downTo)));
  const fakeMinForSize = withHigherOdds(fakeMin[strategy], perHalving * halvings);
  // Where missing rows begin, the methods that look for changes find one.
  const isOnlySuspected = pixels < minPixelsOfChange || hasMissingRows;
  return {
    fakeMin: Math.max(fakeMinForSize, isSmall ? smallRegime.fakeMin[strategy] : 0),
    realMax: withHigherOdds(thresholds.realMax[strategy], -realPerHalving * halvings),
    traceMin: thresholds.traceMin[strategy],
    compressionMax: thresholds.compressionMax[strategy],
    anomalyMax: thresholds.anomalyMax[strategy],
    minDeviations: minDeviations[strategy],
    manipulatedMin: isOnlySuspected ? aboveAnyProbability : localisation.manipulatedMin[strategy],
    suspectedMin: localisation.suspectedMin[strategy],
  };
}

/** For models whose limits are the same at every size. */
const noSizeRegime: SizeRegime = { perHalving: 0, realPerHalving: 0, below: 1, downTo: 1 };

/** @param difference - of the log odds. */
function withHigherOdds(limit: number, difference: number): number {
  // Without a difference, the number stays exactly the same.
  return difference === 0 ? limit : limit / (limit + (1 - limit) * Math.exp(-difference));
}

/** Outside the validated domain, nothing is decided between real and fake. */
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

function reasonsToDoubt(evidence: Omit<DecisionInput, 'change'>, limits: Limits) {
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
