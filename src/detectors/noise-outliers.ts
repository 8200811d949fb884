/**
 * How far each of many points is from the majority, given its context: the Mahalanobis distance to a normal
 * distribution that is fitted again and again on the points nearest to it.
 *
 * @see Rousseeuw and Van Driessen, "A fast algorithm for the minimum covariance determinant estimator", Technometrics
 * 41 (1999): its concentration step, from one start.
 */

interface Points {
  /** `dimensions` numbers for each point, one point after the other. */
  readonly numbers: Float32Array;
  readonly dimensions: number;
  /** So many of the first numbers are the context: lying apart in them alone counts as nothing. */
  readonly context: number;
  /** 1 for points that the fit may use. */
  readonly usable: Uint8Array;
}

/** Share of the points that make the majority; changed regions rarely cover more than a quarter. */
const majorityShare = 0.75;
const rounds = 4;
/** Added to the variances, of numbers whose variance over all points is 1: two that agree would divide by nothing. */
const ridge = 0.01;

/** More points would take time and hardly move the fit. */
const maxFitted = 8192;

/** @returns squared distance for each point; about `dimensions - context` for one of the majority. */
export function outlying(points: Points): Float32Array {
  const standard = standardise(points);
  const fitted = thinned(points.usable);
  const distances = new Float32Array(fitted.length);
  let among = fitted;
  for (let round = 1; round < rounds; round++) {
    measure(standard, points, fit(standard, points.dimensions, among), { of: fitted, distances });
    among = nearest(distances, fitted);
  }
  const last = fit(standard, points.dimensions, among);
  measure(standard, points, last, { of: points.usable, distances });
  return distances;
}

/** Every so many points, that no more are usable than may be fitted. */
function thinned(usable: Uint8Array): Uint8Array {
  const count = sum(usable);
  const apart = Math.ceil(count / maxFitted);
  const fitted = usable.map((is, at) => (at % apart === 0 ? is : 0));
  // Where the usable cells form stripes, few of them may be left, or none.
  return 2 * apart * sum(fitted) < count ? usable : fitted;
}

function sum(flags: Uint8Array): number {
  return flags.reduce((total, is) => total + is, 0);
}

/** A number that all points share, as the colours of a grey picture are, varies by rounding alone and carries no information. */
const minDeviation = 1e-4;

/** Mean 0 and variance 1 in each number over the usable points. */
function standardise({ numbers, dimensions, usable }: Points): Float32Array {
  const { mean, covariance } = momentsOf(numbers, dimensions, usable);
  const scale = mean.map((_, at) => {
    const deviation = Math.sqrt(covariance[at * dimensions + at]!);
    return deviation < minDeviation ? 0 : 1 / deviation;
  });
  const standard = new Float32Array(numbers.length);
  for (let at = 0; at < numbers.length; ) {
    for (let number = 0; number < dimensions; number++, at++) {
      standard[at] = (numbers[at]! - mean[number]!) * scale[number]!;
    }
  }
  return standard;
}

interface Fit {
  readonly mean: Float64Array;
  /** Lower triangle L with L L' = covariance, row-major. */
  readonly factor: Float64Array;
}

function fit(numbers: Float32Array, dimensions: number, among: Uint8Array): Fit {
  const { mean, covariance } = momentsOf(numbers, dimensions, among);
  for (let at = 0; at < dimensions; at++) covariance[at * dimensions + at]! += ridge;
  return { mean, factor: cholesky(covariance, dimensions) };
}

function momentsOf(numbers: Float32Array, dimensions: number, among: Uint8Array) {
  const mean = new Float64Array(dimensions);
  const covariance = new Float64Array(dimensions * dimensions);
  let count = 0;
  for (let point = 0; point < among.length; point++) {
    if (among[point] === 0) continue;
    count++;
    const here = point * dimensions;
    for (let i = 0; i < dimensions; i++) mean[i]! += numbers[here + i]!;
  }
  for (let i = 0; i < dimensions; i++) mean[i]! /= count;
  const off = new Float64Array(dimensions);
  for (let point = 0; point < among.length; point++) {
    if (among[point] === 0) continue;
    const here = point * dimensions;
    for (let i = 0; i < dimensions; i++) off[i] = numbers[here + i]! - mean[i]!;
    for (let i = 0, row = 0; i < dimensions; i++, row += dimensions) {
      const ofRow = off[i]!;
      for (let j = 0; j <= i; j++) covariance[row + j]! += ofRow * off[j]!;
    }
  }
  for (let at = 0; at < covariance.length; at++) covariance[at]! /= count;
  return { mean, covariance };
}

/** In place of the lower triangle of a positive definite matrix. @see Golub and Van Loan, "Matrix Computations", 4.2. */
function cholesky(matrix: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * size + j]!;
      for (let k = 0; k < j; k++) rest -= matrix[i * size + k]! * matrix[j * size + k]!;
      matrix[i * size + j] = i === j ? Math.sqrt(rest) : rest / matrix[j * size + j]!;
    }
  }
  return matrix;
}

/**
 * Solving with the lower triangle makes each number independent of those before it, so the squares behind the context are
 * the distance that the context does not explain.
 */
function measure(
  numbers: Float32Array,
  { dimensions, context }: Points,
  { mean, factor }: Fit,
  { of, distances }: { readonly of: Uint8Array; readonly distances: Float32Array },
): void {
  const solved = new Float64Array(dimensions);
  for (let point = 0; point < distances.length; point++) {
    if (of[point] === 0) continue;
    const here = point * dimensions;
    let distance = 0;
    for (let i = 0, row = 0; i < dimensions; i++, row += dimensions) {
      let rest = numbers[here + i]! - mean[i]!;
      for (let j = 0; j < i; j++) rest -= factor[row + j]! * solved[j]!;
      const value = rest / factor[row + i]!;
      solved[i] = value;
      if (i >= context) distance += value * value;
    }
    distances[point] = distance;
  }
}

function nearest(distances: Float32Array, usable: Uint8Array): Uint8Array {
  const limit = quantileOf(distances, usable, majorityShare);
  const among = new Uint8Array(usable.length);
  for (let at = 0; at < among.length; at++)
    among[at] = usable[at]! & Number(distances[at]! <= limit);
  return among;
}

/** The value that a share 0..1 of the usable values does not exceed, without interpolation. */
export function quantileOf(values: Float32Array, usable: Uint8Array, share: number): number {
  const usableValues = new Float32Array(values.length);
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    if (usable[at] === 1) usableValues[count++] = values[at]!;
  }
  return selected(usableValues.subarray(0, count), Math.floor(share * (count - 1)));
}

/** The value at `index` if the values were sorted; changes their order. @see Hoare, "Algorithm 65: find" (1961). */
function selected(values: Float32Array, index: number): number {
  let [first, last] = [0, values.length - 1];
  while (first < last) {
    const pivot = values[(first + last) >> 1]!;
    let [up, down] = [first, last];
    while (up <= down) {
      while (values[up]! < pivot) up++;
      while (values[down]! > pivot) down--;
      if (up > down) break;
      const moved = values[up]!;
      values[up++] = values[down]!;
      values[down--] = moved;
    }
    if (index <= down) last = down;
    else if (index >= up) first = up;
    else break;
  }
  return values[index]!;
}
