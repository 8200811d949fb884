/** What a count out of a number of trials allows to say about the true share: exact bounds, whatever the share is. */

/**
 * Greatest true share, 0..1, under which no more than `count` of `trials` would still be seen with a probability of
 * 1 - `confidence`. NaN without trials.
 *
 * @param count - 0..trials, whole.
 * @param confidence - of the one-sided bound.
 * @see C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
 * binomial", Biometrika 26 (1934).
 */
export function upperShare(count: number, trials: number, confidence = 0.95): number {
  if (!(trials > 0)) return Number.NaN;
  if (count >= trials) return 1;
  let below = count / trials;
  let above = 1;
  // Halving to the last bit of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (below + above) / 2;
    if (probabilityUpTo(count, trials, middle) > 1 - confidence) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

/** Smallest true share, as `upperShare`. */
export function lowerShare(count: number, trials: number, confidence = 0.95): number {
  return 1 - upperShare(trials - count, trials, confidence);
}

/** Clopper and Pearson's two-sided interval: `confidence` lies inside, half of the rest on each side. */
export function shareInterval(
  count: number,
  trials: number,
  confidence = 0.95,
): { readonly low: number; readonly high: number } {
  const oneSided = (1 + confidence) / 2;
  return {
    low: lowerShare(count, trials, oneSided),
    high: upperShare(count, trials, oneSided),
  };
}

/**
 * Binomial probability of at most `count` successes; for `share` of at least count / trials, where the terms fall from
 * `count` downwards.
 */
function probabilityUpTo(count: number, trials: number, share: number): number {
  const odds = (1 - share) / share;
  let term = Math.exp(
    logChoose(trials, count) + count * Math.log(share) + (trials - count) * Math.log1p(-share),
  );
  let sum = 0;
  for (let i = count; i >= 0 && term > sum * Number.EPSILON; i--) {
    sum += term;
    term *= (i * odds) / (trials - i + 1);
  }
  return sum;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Stirling's series; the first numbers are multiplied out, where it would not be exact to the last digits. */
function logFactorial(n: number): number {
  if (n < 16) {
    let product = 1;
    for (let i = 2; i <= n; i++) product *= i;
    return Math.log(product);
  }
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series;
}
