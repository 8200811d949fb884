/** How often chance alone would give as many votes: the number of false alarms, as logarithms to the base of ten. */

/** log10 of n!, for n from 0 to `most`. */
export function logFactorials(most: number): Float64Array {
  const logs = new Float64Array(most + 1);
  for (let n = 1; n <= most; n++) logs[n] = logs[n - 1]! + Math.log10(n);
  return logs;
}

export interface Trials {
  readonly trials: number;
  readonly hits: number;
  /** Of one hit, 0..1, both excluded. */
  readonly chance: number;
  /** From `logFactorials`, of at least `trials`. */
  readonly logs: Float64Array;
}

/** log10 of the probability of `hits` or more; 0 where no more hits came than are to be expected. */
export function logTail({ trials, hits, chance, logs }: Trials): number {
  if (hits <= trials * chance) return 0;
  const first =
    logs[trials]! -
    logs[hits]! -
    logs[trials - hits]! +
    hits * Math.log10(chance) +
    (trials - hits) * Math.log10(1 - chance);
  // Beyond the mean each term is smaller than the one before by a factor that falls.
  const odds = chance / (1 - chance);
  let [term, sum] = [1, 1];
  for (let i = hits; i < trials && term > 1e-12 * sum; i++) {
    term *= ((trials - i) / (i + 1)) * odds;
    sum += term;
  }
  return first + Math.log10(sum);
}
