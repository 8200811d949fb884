export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds that `act` took, by wall-clock time unless another clock is given. */
export async function timed(
  act: () => Promise<unknown>,
  clock = () => performance.now(),
): Promise<number> {
  const began = clock();
  await act();
  return clock() - began;
}

/**
 * CPU time of this process in milliseconds: for work that never waits, on a machine that is also
 * busy with other things.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Median times of the acts in milliseconds. Every round runs each act once, in turn, so that a slow
 * moment of the machine affects all of them. The first round is a warm-up and is not counted.
 */
export async function interleaved(
  rounds: number,
  acts: readonly (() => Promise<unknown>)[],
  clock?: () => number,
): Promise<readonly number[]> {
  const times: number[][] = acts.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, act] of acts.entries()) {
      const ms = await timed(act, clock);
      if (round > 0) times[index]!.push(ms);
    }
  }
  return times.map(median);
}

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The project's target; the value must not exceed it. */
  readonly atMost?: number;
}
