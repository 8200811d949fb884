/** Figures with intervals. Scores grow towards fake; sources, not pictures, are what is drawn again. */

import { createRandom } from '../../src/engine/random.ts';

export interface Scored {
  readonly score: number;
  readonly isFake: boolean;
  readonly source: string;
}

/** Chance that a fake scores above a real one, ties half (Mann-Whitney U over the number of pairs). NaN without both classes. */
export function auc(scored: readonly Scored[]): number {
  const rising = scored.toSorted((one, other) => one.score - other.score);
  let fakeRanks = 0;
  let fakes = 0;
  for (let start = 0; start < rising.length; ) {
    let end = start;
    while (end < rising.length && rising[end]!.score === rising[start]!.score) end++;
    const tied = rising.slice(start, end).filter(({ isFake }) => isFake).length;
    fakeRanks += tied * ((start + 1 + end) / 2);
    fakes += tied;
    start = end;
  }
  const reals = scored.length - fakes;
  return (fakeRanks - (fakes * (fakes + 1)) / 2) / (fakes * reals);
}

/** 95 % interval of the AUC: whole sources of each class drawn with replacement (percentile bootstrap, Efron 1979). */
export function aucInterval(
  scored: readonly Scored[],
  { draws = 1000, seed = 1 } = {},
): readonly [number, number] {
  const random = createRandom(seed);
  const groups = [true, false].map((isFake) => [
    ...groupBy(
      scored.filter((one) => one.isFake === isFake),
      ({ source }) => source,
    ).values(),
  ]);
  const drawn = Array.from({ length: draws }, () =>
    auc(
      groups.flatMap((sources) =>
        sources.flatMap(() => sources[Math.floor(random() * sources.length)] ?? []),
      ),
    ),
  ).toSorted((one, other) => one - other);
  return [quantile(drawn, 0.025), quantile(drawn, 0.975)];
}

/** Share of fakes above the threshold that lets at most `falseAlarms` of the real pictures through. */
export function recallAt(scored: readonly Scored[], falseAlarms: number): number {
  const real = scored.filter(({ isFake }) => !isFake).map(({ score }) => score);
  const fake = scored.filter(({ isFake }) => isFake);
  const falling = real.toSorted((one, other) => other - one);
  const threshold = falling[Math.floor(falseAlarms * real.length)] ?? -Infinity;
  return fake.filter(({ score }) => score > threshold).length / fake.length;
}

/** Of values in rising order, straight lines between neighbours. */
export function quantile(rising: readonly number[], share: number): number {
  const place = share * (rising.length - 1);
  const lower = rising[Math.floor(place)]!;
  const upper = rising[Math.ceil(place)]!;
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** In the order of first appearance. */
export function groupBy<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
