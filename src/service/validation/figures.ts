/** Turns the measurements of labelled pictures into error rates with confidence intervals. */

import type { DecisionStrategy, ResultClass } from '../../contract/vocabulary.ts';
import { boundedLogit, createRandom } from '../../engine/calibration.ts';
import { shareInterval, measureRatios } from '../../detectors/likelihood-ratio.ts';
import { type Condition, conditions, type ConditionResult } from '../../examiner/requests.ts';
import type { Measurement } from '../../examiner/sandbox.ts';
import type { ClassFigures, ConditionFigures, Counted } from './validation.ts';

export interface Outcome {
  readonly isFake: boolean;
  /** Subfolder within its class; empty if the file is in none. */
  readonly folder: string;
  readonly measurement: Pick<Measurement, 'sha256' | 'readings' | 'declaresGeneration'>;
}

/** With fewer pictures of either class, a calibration error is mostly chance. */
const minForCalibration = 100;

/** Minimum number of pictures in either class; with fewer, likelihood ratios mean little. */
const minForRatios = 20;

/** With fewer subfolders, an interval from resampling whole folders would rest on a handful of values. */
export const minFolders = 5;

/** Smaller subfolders are too small to say anything. */
const minInFolder = 5;

/** One entry for each condition that has pictures of both classes. */
export function computeFigures(outcomes: readonly Outcome[], seed: number) {
  const findSource = chooseSources(outcomes);
  return conditions.flatMap((condition) => {
    const samples = outcomes.flatMap((outcome) => toSamples(outcome, condition, findSource));
    const fakes = samples.filter(({ isFake }) => isFake).length;
    if (fakes === 0 || fakes === samples.length) return [];
    return [conditionFigures(condition, samples, seed)];
  });
}

/** The unit of resampling for the interval of the AUC. */
export function drawnBy(ofClass: readonly Outcome[]): 'folder' | 'picture' {
  return countFolders(ofClass) >= minFolders ? 'folder' : 'picture';
}

export function countFolders(ofClass: readonly Outcome[]): number {
  return new Set(ofClass.map(({ folder }) => folder)).size;
}

interface Sample {
  readonly isFake: boolean;
  readonly folder: string;
  readonly source: string;
  readonly score: number;
  readonly verdicts: ConditionResult['verdicts'];
}

function chooseSources(outcomes: readonly Outcome[]) {
  const unitFor = (isFake: boolean) => drawnBy(outcomes.filter((one) => one.isFake === isFake));
  const units = { real: unitFor(false), fake: unitFor(true) };
  return ({ isFake, folder, measurement }: Outcome): string =>
    units[isFake ? 'fake' : 'real'] === 'folder' ? folder : measurement.sha256;
}

function toSamples(outcome: Outcome, condition: Condition, findSource: (one: Outcome) => string) {
  const { isFake, folder, measurement } = outcome;
  const result = measurement.readings.find((one) => one.condition === condition);
  if (!result) return [];
  const { fakeProbability: score, verdicts } = result;
  return [{ isFake, folder, source: findSource(outcome), score, verdicts }];
}

function conditionFigures(
  condition: Condition,
  samples: readonly Sample[],
  seed: number,
): ConditionFigures {
  const [low, high] = aucInterval(samples, { seed });
  const under = (strategy: DecisionStrategy) => ({
    real: classFigures(samples, strategy, false),
    fake: classFigures(samples, strategy, true),
  });
  const logs = (isFake: boolean) =>
    samples.filter((one) => one.isFake === isFake).map(({ score }) => boundedLogit(score));
  const fewest = Math.min(logs(true).length, logs(false).length);
  return {
    condition,
    auc: { value: auc(samples), low, high },
    calibration: measureCalibration(samples),
    ...(fewest >= minForRatios && { ratios: heldOutRatios(logs(true), logs(false)) }),
    strategies: {
      pedantic: under('pedantic'),
      default: under('default'),
      relaxed: under('relaxed'),
    },
  };
}

function measureCalibration(samples: readonly Sample[]): ConditionFigures['calibration'] {
  const inDomain = samples.filter(({ verdicts }) => verdicts.default.resultClass !== 'abstain');
  const fakes = inDomain.filter(({ isFake }) => isFake).length;
  if (Math.min(fakes, inDomain.length - fakes) < minForCalibration) return null;
  return { error: calibrationError(inDomain), pictures: inDomain.length };
}

function classFigures(
  samples: readonly Sample[],
  strategy: DecisionStrategy,
  isFake: boolean,
): ClassFigures {
  const ofClass = samples.filter((sample) => sample.isFake === isFake);
  const verdicts = ofClass.map((sample) => sample.verdicts[strategy]);
  const countVerdicts = (wanted: ResultClass) =>
    verdicts.filter(({ resultClass }) => resultClass === wanted).length;
  const words = Map.groupBy(
    verdicts.flatMap(({ reasons: own }) => own),
    (word) => word,
  );
  // The most frequent first.
  const reasons = [...words].toSorted(([, one], [, other]) => other.length - one.length);
  const wrongClass = isFake ? 'real' : 'fake';
  const isWrong = (sample: Sample) => sample.verdicts[strategy].resultClass === wrongClass;
  const counts = {
    real: countVerdicts('real'),
    fake: countVerdicts('fake'),
    abstain: countVerdicts('abstain'),
    uncertain: countVerdicts('uncertain'),
  };
  return {
    verdicts: counts,
    wrong: toCounted(counts[wrongClass], ofClass.length),
    decided: toCounted(counts.real + counts.fake, ofClass.length),
    reasons: Object.fromEntries(reasons.map(([word, each]) => [word, each.length])),
    worstFolder: findWorstFolder(ofClass, isWrong),
  };
}

function toCounted(count: number, of: number): Counted {
  return { count, of, share: count / of, ...shareInterval(count, of) };
}

function findWorstFolder(ofClass: readonly Sample[], isWrong: (sample: Sample) => boolean) {
  const folders = [...Map.groupBy(ofClass, ({ folder }) => folder)]
    .map(([folder, some]) => {
      return { folder, pictures: some.length, wrong: some.filter(isWrong).length };
    })
    .filter(({ pictures }) => pictures >= minInFolder);
  if (folders.length < 2) return null;
  return folders.reduce((worst, one) =>
    one.wrong / one.pictures > worst.wrong / worst.pictures ? one : worst,
  );
}

// Statistics of scored pictures, with intervals. Higher scores mean fake.

export interface Scored {
  readonly score: number;
  readonly isFake: boolean;
  /** The unit of resampling, because pictures of one source are not independent. */
  readonly source: string;
}

/** Mann-Whitney U over the number of pairs: ties count half. NaN without both classes. */
export function auc(scored: readonly Scored[]): number {
  const { rising, sources } = inOrder(scored);
  return weightedAuc(rising, new Uint32Array(sources).fill(1));
}

/** 95% interval of the AUC by percentile bootstrap (Efron 1979), resampling whole sources of each class. */
export function aucInterval(
  scored: readonly Scored[],
  { draws = 1000, seed = 1 } = {},
): readonly [low: number, high: number] {
  const random = createRandom(seed);
  const { rising, sources, realSources } = inOrder(scored);
  const times = new Uint32Array(sources);
  const drawFrom = (first: number, end: number) => {
    for (let n = first; n < end; n++) times[first + Math.floor(random() * (end - first))]! += 1;
  };
  const drawn = Array.from({ length: draws }, () => {
    times.fill(0);
    drawFrom(0, realSources);
    drawFrom(realSources, sources);
    return weightedAuc(rising, times);
  });
  const ordered = drawn.toSorted((one, other) => one - other);
  return [quantile(ordered, 0.025), quantile(ordered, 0.975)];
}

interface Placed extends Omit<Scored, 'source'> {
  /** Index of the source; the photographs' sources come first. */
  readonly source: number;
}

/** Sorted once for all resamples. The same name may stand for a source of either class. */
function inOrder(scored: readonly Scored[]) {
  const numberSources = (isFake: boolean, first: number) => {
    const names = new Set(scored.filter((one) => one.isFake === isFake).map((one) => one.source));
    return new Map([...names].map((name, at) => [name, first + at]));
  };
  const real = numberSources(false, 0);
  const fake = numberSources(true, real.size);
  const rising: readonly Placed[] = scored
    .map(({ score, isFake, source }) => {
      return { score, isFake, source: (isFake ? fake : real).get(source)! };
    })
    .toSorted((one, other) => one.score - other.score);
  return { rising, sources: real.size + fake.size, realSources: real.size };
}

/** @param weights - by source index: the number of times that each of its pictures counts. */
function weightedAuc(rising: readonly Placed[], weights: Uint32Array): number {
  let wins = 0;
  let reals = 0;
  let fakes = 0;
  for (let at = 0; at < rising.length; ) {
    const { score } = rising[at]!;
    let tiedReals = 0;
    let tiedFakes = 0;
    for (; at < rising.length && rising[at]!.score === score; at++) {
      const { isFake, source } = rising[at]!;
      if (isFake) tiedFakes += weights[source]!;
      else tiedReals += weights[source]!;
    }
    wins += tiedFakes * (reals + tiedReals / 2);
    reals += tiedReals;
    fakes += tiedFakes;
  }
  return wins / (reals * fakes);
}

/**
 * Expected calibration error: mean gap between stated probability and actual share of fakes, over ten bins of equal
 * width (Naeini, Cooper, Hauskrecht, AAAI 2015). The classes are weighted by the prior that the probability assumes,
 * whatever their numbers. NaN without both classes.
 *
 * @param all - the pictures whose classes are weighted, if `scored` is only a part of them, such as the decided ones.
 * @param fakeShare - prior share of fakes, as the probability assumes.
 */
export function calibrationError(
  scored: readonly Scored[],
  all: readonly Scored[] = scored,
  fakeShare = 0.5,
): number {
  const bins = Array.from({ length: 10 }, () => ({ weight: 0, stated: 0, fake: 0 }));
  const fakes = all.filter(({ isFake }) => isFake).length;
  let total = 0;
  for (const { score, isFake } of scored) {
    const weight = isFake ? fakeShare / fakes : (1 - fakeShare) / (all.length - fakes);
    total += weight;
    const bin = bins[Math.min(9, Math.floor(10 * score))]!;
    bin.weight += weight;
    bin.stated += weight * score;
    if (isFake) bin.fake += weight;
  }
  const gap = bins.reduce((sum, { stated, fake }) => sum + Math.abs(stated - fake), 0);
  return fakes === 0 || fakes === all.length ? Number.NaN : gap / total;
}

/**
 * Summarises likelihood ratios (natural logarithms) where the proposition is true, and where it is false; neither
 * empty.
 */
export function heldOutRatios(supporting: readonly number[], opposing: readonly number[]) {
  const { cllr, lower, upper } = measureRatios(supporting, opposing);
  return {
    supporting: supporting.length,
    opposing: opposing.length,
    cllr: Number(cllr.toFixed(3)),
    lower: Number(lower.toPrecision(4)),
    upper: Number(upper.toPrecision(4)),
    tippett: { supporting: toPoints(supporting), opposing: toPoints(opposing) },
  };
}

/** Log10 of the quantiles from 0 to 1 in steps of 0.05. */
function toPoints(logs: readonly number[]): number[] {
  const rising = logs.toSorted((one, other) => one - other);
  return Array.from({ length: 21 }, (_, at) =>
    Number((quantile(rising, at / 20) / Math.LN10).toFixed(3)),
  );
}

/** Linear interpolation between neighbours; the values must be ascending. */
export function quantile(rising: readonly number[], share: number): number {
  const place = share * (rising.length - 1);
  const lower = rising[Math.floor(place)]!;
  const upper = rising[Math.ceil(place)]!;
  return lower + (upper - lower) * (place - Math.floor(place));
}
