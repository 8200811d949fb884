/** What every long proof is given, and how one fails. */

import { createRandom } from '../../test/fixtures/noise.ts';

export interface Proof {
  /** 0 up to 1, the same sequence for the same seed. */
  readonly random: () => number;
  readonly seed: number;
  /** How long it may take. */
  readonly minutes: number;
  /** In the database that the load proof reads. */
  readonly analyses: number;
  /** True once its time is up; it then completes and judges what it has begun. */
  isOver(): boolean;
  /** A figure for the table at the end. */
  note(name: string, value: number | string): void;
}

export interface Ended {
  readonly proof: Proof;
  readonly figures: ReadonlyMap<string, number | string>;
}

type Wanted = Pick<Proof, 'seed' | 'minutes' | 'analyses'>;

export function createProof({ seed, minutes, analyses }: Wanted): Ended {
  const endMs = performance.now() + minutes * 60_000;
  const figures = new Map<string, number | string>();
  return {
    figures,
    proof: {
      random: createRandom(seed),
      seed,
      minutes,
      analyses,
      isOver: () => performance.now() >= endMs,
      note: (name, value) => void figures.set(name, value),
    },
  };
}

/** A broken guarantee. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Fault(otherwise);
}

export function pick<T>(random: () => number, among: readonly T[]): T {
  const one = among[Math.floor(random() * among.length)];
  if (one === undefined) throw new RangeError('There is nothing to pick from.');
  return one;
}

/** @param share - 0.99 for the value that one in a hundred exceeds. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
