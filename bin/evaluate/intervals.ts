/** 95% intervals of any figure. Whole sources are drawn, because pictures of one source are not independent. */

import { createRandom } from '../../src/engine/calibration.ts';
import { shareInterval } from '../../src/detectors/likelihood-ratio.ts';
import { quantile } from '../../src/service/validation/figures.ts';
import type { Sample } from './data-set.ts';

export interface Estimate {
  /** NaN if there is nothing to measure. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The share of pictures that count. */
export interface Rate extends Estimate {
  readonly count: number;
  readonly of: number;
}

interface Drawn {
  readonly sample: Pick<Sample, 'isFake' | 'source'>;
}

/**
 * The figure with its interval: sources of each class are drawn with replacement (percentile
 * bootstrap, Efron 1979). Draws in which the figure cannot be measured are left out.
 */
export function estimateOf<Item extends Drawn>(
  items: readonly Item[],
  figure: (items: readonly Item[]) => number,
  { draws = 1000, seed = 1 } = {},
): Estimate {
  const random = createRandom(seed);
  const classes = [false, true].map((isFake) => [
    ...Map.groupBy(
      items.filter(({ sample }) => sample.isFake === isFake),
      ({ sample }) => sample.source,
    ).values(),
  ]);
  const drawOnce = () =>
    classes.flatMap((sources) =>
      sources.flatMap(() => sources[Math.floor(random() * sources.length)]!),
    );
  const drawn = Array.from({ length: draws }, () => figure(drawOnce()))
    .filter((value) => !Number.isNaN(value))
    .toSorted((one, other) => one - other);
  const at = (share: number) => (drawn.length === 0 ? Number.NaN : quantile(drawn, share));
  return { value: figure(items), low: at(0.025), high: at(0.975) };
}

/**
 * The share of `items` that count. If all draws give the same share (none counts, or all come from
 * one source), the interval is Clopper and Pearson's, as if each picture had its own source: the
 * bootstrap would claim that the share is known exactly.
 */
export function rateOf<Item extends Drawn>(
  items: readonly Item[],
  isCounted: (item: Item) => boolean,
): Rate {
  const [count, of] = [items.filter(isCounted).length, items.length];
  const share = (some: readonly Item[]) => some.filter(isCounted).length / some.length;
  const { low, high } = estimateOf(items, share);
  const bounds = low < high ? { low, high } : shareInterval(count, of);
  return { count, of, value: count / of, ...bounds };
}
