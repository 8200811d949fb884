/** Log odds of the places of a picture: bounded, and by rank. */

/** Beyond these odds (about 50 to 1) a single method is not believed any further. */
const mostLogit = 4;

/** @param probability - 0..1. */
export function boundedLogit(probability: number): number {
  const logit = Math.log(probability / (1 - probability));
  return Math.min(mostLogit, Math.max(-mostLogit, logit));
}

/** The first value with at least `share` 0..1 of all values at or below it, for each share. */
export function quantilesOf(values: Float64Array, shares: readonly number[]): readonly number[] {
  const rising = values.toSorted();
  return shares.map((share) => rising[Math.max(0, Math.ceil(share * rising.length) - 1)]!);
}
