/** Spectra of how predictable pixels are from their neighbours: interpolation makes that periodic. */

/** Pixels a side of a window. */
export const windowSide = 64;
/** A window's spectrum is symmetric: columns 0..32 hold it all. */
export const spectrumWidth = windowSide / 2 + 1;

export interface Windows {
  /** Pixels from one window to the next. */
  readonly stridePx: number;
  readonly columns: number;
  readonly rows: number;
  /** `side` by `half` powers for each window, in multiples of what chance gives at that frequency: mean about 1. */
  readonly powers: Float32Array;
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

/** Bounds time, and memory to 18 MB; larger pictures are read at wider steps. */
const maxWindows = 512;

/**
 * @see Kirchner, "Fast and reliable resampling detection by spectral analysis of fixed linear predictor residue" (ACM
 * MM&Sec 2008), equations 18 and 20, for the predictor and the map.
 */
export function spectraOf(plane: Plane): Windows {
  const { width, height } = plane;
  const inside = [width - windowSide - 2, height - windowSide - 2].map((free) => Math.max(0, free));
  let stridePx = windowSide / 2;
  const along = (length: number) => Math.floor(length / stridePx) + 1;
  while (along(inside[0]!) * along(inside[1]!) > maxWindows) stridePx += 8;
  const [columns, rows] = [along(inside[0]!), along(inside[1]!)];
  const powers = new Float32Array(columns * rows * windowSide * spectrumWidth);
  const transform = createSquareTransform(windowSide);
  const square = {
    real: new Float64Array(windowSide * windowSide),
    imaginary: new Float64Array(windowSide * windowSide),
  };
  const readWindow = (window: number, into: Float64Array) => {
    const column = window % columns;
    const top = ((window - column) / columns) * stridePx + 1;
    readPredictability(plane, column * stridePx + 1, top, into);
  };
  const powersOf = (window: number) =>
    powers.subarray(window * windowSide * spectrumWidth, (window + 1) * windowSide * spectrumWidth);
  // Of real values half a transform is enough, so each does for two windows; an odd last one is read twice.
  for (let window = 0; window < columns * rows; window += 2) {
    const next = Math.min(window + 1, columns * rows - 1);
    readWindow(window, square.real);
    readWindow(next, square.imaginary);
    transform(square);
    readPowers(square, powersOf(window), powersOf(next));
    levelRings(powersOf(window));
    if (next > window) levelRings(powersOf(next));
  }
  return { stridePx, columns, rows, powers };
}

/**
 * Towards 1 where a pixel is what its eight neighbours predict, towards 0 where it is far from that for its window; less the
 * mean, fading to the border. The paper measures in grey levels; by the window's own error, noisy pictures are heard too.
 */
function readPredictability(
  { luma, width }: Plane,
  left: number,
  top: number,
  square: Float64Array,
): void {
  let [squares, most] = [0, 0];
  for (let y = 0, to = 0; y < windowSide; y++) {
    for (let x = 0; x < windowSide; x++, to++) {
      const at = (top + y) * width + left + x;
      const above = at - width;
      const below = at + width;
      const beside = luma[at - 1]! + luma[at + 1]! + luma[above]! + luma[below]!;
      const corners = luma[above - 1]! + luma[above + 1]! + luma[below - 1]! + luma[below + 1]!;
      const fourfold = Math.abs(4 * luma[at]! - 2 * beside + corners);
      fourfoldErrors[to] = fourfold;
      squares += (fourfold * fourfold) / 16;
      most = Math.max(most, fourfold);
    }
  }
  const typical = Math.max(1, squares / (windowSide * windowSide));
  for (let error = 0; error <= most; error++) {
    predictability[error] = Math.exp(-(error * error) / 16 / typical);
  }
  let mean = 0;
  for (let to = 0; to < windowSide * windowSide; to++) {
    square[to] = predictability[fourfoldErrors[to]!]!;
    mean += square[to]! / (windowSide * windowSide);
  }
  for (let y = 0, to = 0; y < windowSide; y++) {
    for (let x = 0; x < windowSide; x++, to++)
      square[to] = (square[to]! - mean) * fade[x]! * fade[y]!;
  }
}

/** Four times the errors of a window, which are whole numbers, and what each that occurs stands for. */
const fourfoldErrors = new Uint16Array(windowSide * windowSide);
const predictability = new Float64Array(8 * 255 + 1);

/**
 * Powers of two real squares that were transformed as one complex square: the transform of each is that part of the sum
 * whose value at the opposite frequency is its conjugate.
 */
function readPowers(
  { real, imaginary }: Complex,
  ofReal: Float32Array,
  ofImaginary: Float32Array,
): void {
  for (let row = 0, to = 0; row < windowSide; row++) {
    const opposite = ((windowSide - row) % windowSide) * windowSide;
    for (let column = 0; column < spectrumWidth; column++, to++) {
      const at = row * windowSide + column;
      const other = opposite + ((windowSide - column) % windowSide);
      const evenReal = real[at]! + real[other]!;
      const oddReal = real[at]! - real[other]!;
      const evenImaginary = imaginary[at]! + imaginary[other]!;
      const oddImaginary = imaginary[at]! - imaginary[other]!;
      ofReal[to] = (evenReal * evenReal + oddImaginary * oddImaginary) / 4;
      ofImaginary[to] = (evenImaginary * evenImaginary + oddReal * oddReal) / 4;
    }
  }
}

/** Hann's window. */
const fade = Float64Array.from(
  { length: windowSide },
  (_, at) => Math.sin((Math.PI * (at + 1)) / (windowSide + 1)) ** 2,
);

/** 0..32, and back to -1: the frequency in periods a window. */
export function frequencyOf(row: number): number {
  return row < spectrumWidth ? row : row - windowSide;
}

/** Frequencies equally far from 0, to two periods a window, share a ring. */
const ringOf = Uint8Array.from({ length: windowSide * spectrumWidth }, (_, at) =>
  Math.floor(Math.hypot(frequencyOf(Math.floor(at / spectrumWidth)), at % spectrumWidth) / 2),
);
const ringSizes = ringOf.reduce((sizes, ring) => {
  sizes[ring]! += 1;
  return sizes;
}, new Uint16Array(spectrumWidth));

/** Mean of an exponentially distributed power over its geometric mean: e to the power of Euler's constant. */
const meanOverGeometric = Math.exp(0.5772156649);

/** Divides each ring by its mean, taken from its geometric mean, which a few peaks hardly move. */
function levelRings(powers: Float32Array): void {
  const scales = new Float64Array(spectrumWidth);
  for (let at = 0; at < powers.length; at++) {
    scales[ringOf[at]!]! += Math.log(powers[at]! + 1e-9);
  }
  for (let ring = 0; ring < scales.length; ring++) {
    scales[ring] = 1 / (meanOverGeometric * Math.exp(scales[ring]! / ringSizes[ring]!));
  }
  for (let at = 0; at < powers.length; at++) powers[at]! *= scales[ringOf[at]!]!;
}

interface Complex {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/**
 * Fourier transform of small squares.
 *
 * @see Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", Mathematics of Computation
 * 19 (1965).
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
