/** Turns the measurements of labelled pictures into error rates with confidence intervals. */

import type { DecisionStrategy, ResultClass } from '../../contract/vocabulary.ts';
import { boundedLogit } from '../../engine/calibration.ts';
import { shareInterval } from '../../engine/likelihood-ratio.ts';
import {
  type Condition,
  conditions,
  type ConditionResult,
  type Measurement,
} from '../../examiner/requests.ts';
import { auc, aucInterval, calibrationError, heldOutRatios } from './statistics.ts';
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
    reasons: countWords(verdicts.flatMap(({ reasons }) => reasons)),
    worstFolder: findWorstFolder(ofClass, isWrong),
  };
}

function toCounted(count: number, of: number): Counted {
  return { count, of, share: count / of, ...shareInterval(count, of) };
}

/** The most frequent first. */
function countWords(words: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(words, (word) => word)];
  const rows = groups.toSorted(([, one], [, other]) => other.length - one.length);
  return Object.fromEntries(rows.map(([word, each]) => [word, each.length]));
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
