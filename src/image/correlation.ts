/**
 * Pearson correlation of two series of equal length.
 *
 * @param least - minimum standard deviation, because with a lower one, a correlation would be chance.
 * @returns -1..1; null if the deviation of either series is lower.
 */
export function correlate(
  a: Readonly<Float64Array>,
  b: Readonly<Float64Array>,
  least: number,
): number | null {
  const meanA = mean(a);
  const meanB = mean(b);
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const offA = a[i]! - meanA;
    const offB = b[i]! - meanB;
    both += offA * offB;
    squaresA += offA * offA;
    squaresB += offB * offB;
  }
  const leastSquares = least * least * a.length;
  if (squaresA < leastSquares || squaresB < leastSquares) return null;
  return both / Math.sqrt(squaresA * squaresB);
}

function mean(values: Readonly<Float64Array>): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
