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
  const line = createLineTransform(side);
  return (square) => {
    // Lines side by side in memory: a square's columns all fall into the same few places of the processor's cache.
    for (let round = 0; round < 2; round++) {
      for (let row = 0; row < side; row++) line(square, row * side);
      transpose(square.real, side);
      transpose(square.imaginary, side);
    }
  };
}

/** @returns a function that transforms the `length` values that begin at a place. */
function createLineTransform(length: number): (values: Complex, start: number) => void {
  const bits = Math.log2(length);
  if (!Number.isInteger(bits)) throw new RangeError('The side of the square is a power of two.');
  const angles = Float64Array.from({ length }, (_, k) => (2 * Math.PI * k) / length);
  const [cosines, sines] = [angles.map(Math.cos), angles.map((angle) => -Math.sin(angle))];
  const mirrored = Uint16Array.from({ length }, (_, at) => mirror(at, bits));
  return ({ real, imaginary }, start) => {
    for (let at = 0; at < length; at++) {
      const to = mirrored[at]!;
      if (to > at) swap(real, imaginary, start + at, start + to);
    }
    for (let half = 1; half < length; half *= 2) {
      const turn = length / (2 * half);
      for (let k = 0; k < half; k++) {
        const cosine = cosines[k * turn]!;
        const sine = sines[k * turn]!;
        for (let a = start + k; a < start + length; a += 2 * half) {
          const b = a + half;
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
}

function transpose(square: Float64Array, side: number): void {
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < y; x++) {
      const [a, b] = [y * side + x, x * side + y];
      const moved = square[a]!;
      square[a] = square[b]!;
      square[b] = moved;
    }
  }
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
