export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds that `act` took, by the wall's clock unless given. */
export async function timed(
  act: () => Promise<unknown>,
  clock = () => performance.now(),
): Promise<number> {
  const began = clock();
  await act();
  return clock() - began;
}

/** Milliseconds that this process has used: for work that waits for nothing, on a machine that is busy with something else. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Medians of the acts' times in milliseconds. Every round runs each act once, in turn, so that a slow moment of the
 * machine falls on all of them; the first round warms up and is not counted.
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
  /** What the project set out to reach; the value has to stay at or below it. */
  readonly atMost?: number;
}
