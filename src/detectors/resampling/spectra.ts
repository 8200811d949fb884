/** Spectra of how predictable pixels are from their neighbours: interpolation makes that periodic. */

import { type Complex, createSquareTransform } from './fourier.ts';

/** Pixels a side of a window. */
export const side = 64;
/** A window's spectrum is symmetric: columns 0..32 hold it all. */
export const half = side / 2 + 1;

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
const mostWindows = 512;

/**
 * @see Kirchner, "Fast and reliable resampling detection by spectral analysis of fixed linear predictor residue" (ACM
 * MM&Sec 2008), equations 18 and 20, for the predictor and the map.
 */
export function spectraOf(plane: Plane): Windows {
  const { width, height } = plane;
  const inside = [width - side - 2, height - side - 2].map((free) => Math.max(0, free));
  let stridePx = side / 2;
  const along = (length: number) => Math.floor(length / stridePx) + 1;
  while (along(inside[0]!) * along(inside[1]!) > mostWindows) stridePx += 8;
  const [columns, rows] = [along(inside[0]!), along(inside[1]!)];
  const powers = new Float32Array(columns * rows * side * half);
  const transform = createSquareTransform(side);
  const square = { real: new Float64Array(side * side), imaginary: new Float64Array(side * side) };
  const readWindow = (window: number, into: Float64Array) => {
    const column = window % columns;
    const top = ((window - column) / columns) * stridePx + 1;
    readPredictability(plane, column * stridePx + 1, top, into);
  };
  const powersOf = (window: number) =>
    powers.subarray(window * side * half, (window + 1) * side * half);
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
  for (let y = 0, to = 0; y < side; y++) {
    for (let x = 0; x < side; x++, to++) {
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
  const typical = Math.max(1, squares / (side * side));
  for (let error = 0; error <= most; error++) {
    predictability[error] = Math.exp(-(error * error) / 16 / typical);
  }
  let mean = 0;
  for (let to = 0; to < side * side; to++) {
    square[to] = predictability[fourfoldErrors[to]!]!;
    mean += square[to]! / (side * side);
  }
  for (let y = 0, to = 0; y < side; y++) {
    for (let x = 0; x < side; x++, to++) square[to] = (square[to]! - mean) * fade[x]! * fade[y]!;
  }
}

/** Four times the errors of a window, which are whole numbers, and what each that occurs stands for. */
const fourfoldErrors = new Uint16Array(side * side);
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
  for (let row = 0, to = 0; row < side; row++) {
    const opposite = ((side - row) % side) * side;
    for (let column = 0; column < half; column++, to++) {
      const at = row * side + column;
      const other = opposite + ((side - column) % side);
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
  { length: side },
  (_, at) => Math.sin((Math.PI * (at + 1)) / (side + 1)) ** 2,
);

/** 0..32, and back to -1: the frequency in periods a window. */
export function frequencyOf(row: number): number {
  return row < half ? row : row - side;
}

/** Frequencies equally far from 0, to two periods a window, share a ring. */
const ringOf = Uint8Array.from({ length: side * half }, (_, at) =>
  Math.floor(Math.hypot(frequencyOf(Math.floor(at / half)), at % half) / 2),
);
const ringSizes = ringOf.reduce((sizes, ring) => {
  sizes[ring]! += 1;
  return sizes;
}, new Uint16Array(half));

/** Mean of an exponentially distributed power over its geometric mean: e to the power of Euler's constant. */
const meanOverGeometric = Math.exp(0.5772156649);

/** Divides each ring by its mean, taken from its geometric mean, which a few peaks hardly move. */
function levelRings(powers: Float32Array): void {
  const scales = new Float64Array(half);
  for (let at = 0; at < powers.length; at++) {
    scales[ringOf[at]!]! += Math.log(powers[at]! + 1e-9);
  }
  for (let ring = 0; ring < scales.length; ring++) {
    scales[ring] = 1 / (meanOverGeometric * Math.exp(scales[ring]! / ringSizes[ring]!));
  }
  for (let at = 0; at < powers.length; at++) powers[at]! *= scales[ringOf[at]!]!;
}
