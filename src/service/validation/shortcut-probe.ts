/**
 * Tests whether the figures could come from a shortcut. When photographs and generated pictures differ in format, size
 * or quality, a detector may score well without detecting anything. A naive classifier is therefore tried on those
 * facts alone.
 */

import { createRandom } from '../../engine/calibration.ts';
import type { Outcome } from './figures.ts';
import { quantile } from './statistics.ts';
import type { Shortcut } from './validation.ts';

/** Above this accuracy, the classes differ in more than their origin. */
const leakingAccuracy = 0.6;

/** With fewer pictures of a class, the accuracy is mostly chance. */
const minPerClass = 20;
const folds = 5;
/** A number with more distinct values than this is binned into tenths. */
const maxValues = 12;

type Fact = string | number | null;
type Facts = Outcome['measurement']['facts'];

const factReaders: Readonly<Record<string, (facts: Facts) => Fact>> = {
  format: ({ format }) => format,
  width: ({ width }) => width,
  height: ({ height }) => height,
  'bytes a pixel': ({ sizeBytes, width, height }) => sizeBytes / (width * height),
  'JPEG quality': ({ jpeg }) => jpeg?.quality ?? null,
  'chroma subsampling': ({ jpeg }) => jpeg?.chromaSubsampling ?? null,
};

/** Facts that remain different even when both classes are saved the same way. */
export const lastingFacts: readonly string[] = ['width', 'height'];

/** Returns null if there are too few pictures. */
export function probeForShortcut(outcomes: readonly Outcome[], seed: number): Shortcut | null {
  const fakes = outcomes.filter(({ isFake }) => isFake).length;
  if (Math.min(fakes, outcomes.length - fakes) < minPerClass) return null;
  const rows = foldRows(outcomes, seed);
  const columns = Object.entries(factReaders).map(([name, read]) => {
    return { name, bins: assignBins(outcomes.map(({ measurement }) => read(measurement.facts))) };
  });
  const all = measureAccuracy(rows, columns);
  const telling = columns
    .filter((column) => isLeak(measureAccuracy(rows, [column])))
    .map(({ name }) => name);
  return { balancedAccuracy: all.value, low: all.low, telling };
}

/** @param low - lower end of the 95 % interval; with few pictures, chance alone can give a high value. */
export function isLeak({ value, low }: { readonly value: number; readonly low: number }): boolean {
  return value >= leakingAccuracy && low > 0.5;
}

interface Row {
  readonly isFake: boolean;
  /** Index of the cross-validation fold in which this picture is predicted; the other folds are for training. */
  readonly fold: number;
}

/** Deals each class out evenly over the folds, in random order. */
function foldRows(outcomes: readonly Outcome[], seed: number): readonly Row[] {
  const random = createRandom(seed);
  const order = outcomes
    .map(({ isFake }, at) => ({ isFake, at, place: random() }))
    .toSorted((one, other) => one.place - other.place);
  const rows: Row[] = [];
  const dealt = { real: 0, fake: 0 };
  for (const { isFake, at } of order) {
    rows[at] = { isFake, fold: dealt[isFake ? 'fake' : 'real']++ % folds };
  }
  return rows;
}

/** The bin of every value: the value itself if there are few distinct ones, otherwise its decile among all pictures. */
function assignBins(values: readonly Fact[]): readonly string[] {
  if (new Set(values).size <= maxValues) return values.map(String);
  const rising = values
    .filter((value) => typeof value === 'number')
    .toSorted((one, other) => one - other);
  const edges = Array.from({ length: 9 }, (_, n) => quantile(rising, (n + 1) / 10));
  return values.map((value) =>
    typeof value === 'number' ? String(edges.filter((edge) => edge < value).length) : String(value),
  );
}

interface Column {
  readonly bins: readonly string[];
}

/** Balanced accuracy of a naive Bayes classifier on these columns, by cross-validation. */
function measureAccuracy(rows: readonly Row[], columns: readonly Column[]) {
  const right = { real: 0, fake: 0 };
  const total = { real: 0, fake: 0 };
  for (let fold = 0; fold < folds; fold++) {
    const guess = learn(rows, columns, fold);
    rows.forEach((row, at) => {
      if (row.fold !== fold) return;
      const name = row.isFake ? 'fake' : 'real';
      const evidence = guess(at);
      total[name]++;
      if (evidence === 0) right[name] += 0.5;
      else if (evidence > 0 === row.isFake) right[name]++;
    });
  }
  return balanced(right.real / total.real, right.fake / total.fake, total);
}

/** @returns a function from picture index to log odds of fake; 0 without information. */
function learn(
  rows: readonly Row[],
  columns: readonly Column[],
  exceptFold: number,
): (at: number) => number {
  const learned = columns.map(({ bins }) => {
    const seen = new Map<string, { real: number; fake: number }>();
    const total = { real: 0, fake: 0 };
    rows.forEach(({ isFake, fold }, at) => {
      if (fold === exceptFold) return;
      const name = isFake ? 'fake' : 'real';
      const bin = seen.get(bins[at]!) ?? { real: 0, fake: 0 };
      bin[name]++;
      total[name]++;
      seen.set(bins[at]!, bin);
    });
    const values = new Set(bins).size;
    // Laplace smoothing: a bin never seen in a class is rare there, not impossible.
    return (at: number) => {
      const { real, fake } = seen.get(bins[at]!) ?? { real: 0, fake: 0 };
      return Math.log(((fake + 1) / (total.fake + values)) * ((total.real + values) / (real + 1)));
    };
  });
  return (at) => learned.reduce((sum, evidence) => sum + evidence(at), 0);
}

/** Uses the normal approximation for two independent proportions. */
function balanced(real: number, fake: number, total: { real: number; fake: number }) {
  const value = (real + fake) / 2;
  const variance = (real * (1 - real)) / total.real + (fake * (1 - fake)) / total.fake;
  return { value, low: Math.max(0, value - 1.96 * Math.sqrt(variance / 4)) };
}
