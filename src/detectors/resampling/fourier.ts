/**
 * Fourier transforms of small squares. @see Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier
 * series", Mathematics of Computation 19 (1965).
 */

export interface Complex {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/**
 * @param side - a power of two.
 * @returns a function that replaces a square of `side` by `side` values, row-major, by its discrete Fourier transform
 * (negative exponent, no factor).
 */
export function createSquareTransform(side: number): (square: Complex) => void {
  const bits = Math.log2(side);
  if (!Number.isInteger(bits)) throw new RangeError('The side of the square is a power of two.');
  const cosines = Float64Array.from({ length: side }, (_, k) => Math.cos((2 * Math.PI * k) / side));
  const sines = Float64Array.from({ length: side }, (_, k) => -Math.sin((2 * Math.PI * k) / side));
  const mirrored = Uint16Array.from({ length: side }, (_, at) => mirror(at, bits));

  const line = ({ real, imaginary }: Complex, start: number, step: number): void => {
    for (let at = 0; at < side; at++) {
      const to = mirrored[at]!;
      if (to > at) swap(real, imaginary, start + at * step, start + to * step);
    }
    for (let half = 1; half < side; half *= 2) {
      const turn = side / (2 * half);
      for (let first = 0; first < side; first += 2 * half) {
        for (let k = 0; k < half; k++) {
          const a = start + (first + k) * step;
          const b = a + half * step;
          const cosine = cosines[k * turn]!;
          const sine = sines[k * turn]!;
          const re = real[b]! * cosine - imaginary[b]! * sine;
          const im = real[b]! * sine + imaginary[b]! * cosine;
          real[b] = real[a]! - re;
          imaginary[b] = imaginary[a]! - im;
          real[a]! += re;
          imaginary[a]! += im;
        }
      }
    }
  };

  return (square) => {
    for (let row = 0; row < side; row++) line(square, row * side, 1);
    for (let column = 0; column < side; column++) line(square, column, side);
  };
}

function mirror(value: number, bits: number): number {
  let mirrored = 0;
  for (let bit = 0; bit < bits; bit++) mirrored |= ((value >> bit) & 1) << (bits - 1 - bit);
  return mirrored;
}

function swap(real: Float64Array, imaginary: Float64Array, a: number, b: number): void {
  const [re, im] = [real[a]!, imaginary[a]!];
  real[a] = real[b]!;
  imaginary[a] = imaginary[b]!;
  real[b] = re;
  imaginary[b] = im;
}
