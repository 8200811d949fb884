/** Figures of scored pictures, with intervals. Scores grow towards fake. Pure: the same input gives the same figures. */

import { createRandom } from '../engine/random.ts';

export interface Scored {
  readonly score: number;
  readonly isFake: boolean;
  /** What is drawn as a whole when intervals are made: pictures of one source are not independent. */
  readonly source: string;
}

/** Chance that a fake scores above a real one, ties half (Mann-Whitney U over the number of pairs). NaN without both classes. */
export function auc(scored: readonly Scored[]): number {
  return weightedAuc(tiesOf(scored), () => 1);
}

/** 95 % interval of the AUC: whole sources of each class drawn with replacement (percentile bootstrap, Efron 1979). */
export function aucInterval(
  scored: readonly Scored[],
  { draws = 1000, seed = 1 } = {},
): readonly [low: number, high: number] {
  const random = createRandom(seed);
  const ties = tiesOf(scored);
  const classes = [true, false].map((isFake) => [
    ...new Set(scored.filter((one) => one.isFake === isFake).map(drawnAs)),
  ]);
  const drawn = Array.from({ length: draws }, () => {
    const times = new Map<string, number>();
    for (const sources of classes) drawInto(times, sources, random);
    return weightedAuc(ties, (one) => times.get(drawnAs(one)) ?? 0);
  });
  const rising = drawn.toSorted((one, other) => one - other);
  return [quantile(rising, 0.025), quantile(rising, 0.975)];
}

/** The same name may stand for a source of either class. */
function drawnAs({ isFake, source }: Scored): string {
  return `${isFake ? 1 : 0}${source}`;
}

function drawInto(
  times: Map<string, number>,
  sources: readonly string[],
  random: () => number,
): void {
  for (let n = 0; n < sources.length; n++) {
    const source = sources[Math.floor(random() * sources.length)]!;
    times.set(source, (times.get(source) ?? 0) + 1);
  }
}

/** Pictures of equal score together, in rising order: sorted once, however often it is drawn. */
function tiesOf(scored: readonly Scored[]): readonly (readonly Scored[])[] {
  const rising = scored.toSorted((one, other) => one.score - other.score);
  return [...groupBy(rising, ({ score }) => score).values()];
}

function weightedAuc(
  ties: readonly (readonly Scored[])[],
  weightOf: (one: Scored) => number,
): number {
  let wins = 0;
  let reals = 0;
  let fakes = 0;
  for (const tie of ties) {
    let real = 0;
    let fake = 0;
    for (const one of tie) {
      if (one.isFake) fake += weightOf(one);
      else real += weightOf(one);
    }
    wins += fake * (reals + real / 2);
    reals += real;
    fakes += fake;
  }
  return wins / (reals * fakes);
}

/**
 * Mean gap between the probability that was stated and the share of fakes among the pictures it was stated for, over
 * ten bins of equal width (Naeini, Cooper, Hauskrecht, AAAI 2015). Both classes weigh the same whatever their numbers:
 * that is what the probability is calibrated for. NaN without both classes.
 */
export function calibrationError(scored: readonly Scored[]): number {
  const bins = Array.from({ length: 10 }, () => ({ weight: 0, stated: 0, fake: 0 }));
  const fakes = scored.filter(({ isFake }) => isFake).length;
  for (const { score, isFake } of scored) {
    const weight = 0.5 / (isFake ? fakes : scored.length - fakes);
    const bin = bins[Math.min(9, Math.floor(10 * score))]!;
    bin.weight += weight;
    bin.stated += weight * score;
    if (isFake) bin.fake += weight;
  }
  const gap = bins.reduce((sum, { stated, fake }) => sum + Math.abs(stated - fake), 0);
  return fakes === 0 || fakes === scored.length ? Number.NaN : gap;
}

/** Of values in rising order, straight lines between neighbours. */
export function quantile(rising: readonly number[], share: number): number {
  const place = share * (rising.length - 1);
  const lower = rising[Math.floor(place)]!;
  const upper = rising[Math.ceil(place)]!;
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** In the order of first appearance. */
export function groupBy<Value, Key>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
