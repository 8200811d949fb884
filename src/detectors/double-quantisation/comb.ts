/** What two quantisations in a row do to the values of a DCT coefficient. */

/** Values beyond this many steps are rare and say little. */
export const mostSteps = 60;

/**
 * Standard deviation of a coefficient after its picture was rounded to whole 8-bit colours and turned to luma again:
 * 0.29 by luma rounding alone, more by the colours.
 */
const roundingNoise = 0.45;

/**
 * How many times as often each quantised value occurs when the coefficient had been quantised by another step before:
 * the number of multiples of the first step that land on it, blurred by rounding, against what falls there otherwise.
 *
 * @param first - step of the earlier save.
 * @param second - step of the later one.
 * @returns ratios for the values -60..60, in this order; 1 on average over a period.
 * @see Bianchi and Piva, "Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts", IEEE Transactions on
 * Information Forensics and Security 7 (2012), section III.
 */
export function doubledRatios(first: number, second: number): Float64Array {
  const reach = 4 * roundingNoise;
  return Float64Array.from({ length: 2 * mostSteps + 1 }, (_, at) => {
    const [low, high] = [second * (at - mostSteps - 0.5), second * (at - mostSteps + 0.5)];
    let share = 0;
    for (let k = Math.floor((low - reach) / first); k <= Math.ceil((high + reach) / first); k++) {
      share += below((high - k * first) / roundingNoise) - below((low - k * first) / roundingNoise);
    }
    return (share * first) / second;
  });
}

/** Standard normal distribution function. @see Abramowitz and Stegun (1964), 7.1.26; errors below 1e-7. */
function below(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (series * Math.exp(-x * x)) / 2;
  return z < 0 ? tail : 1 - tail;
}
