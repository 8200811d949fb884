/** The fine structure of a small square, parted by direction. */

export interface Bands {
  /** Mean magnitude of what changes both ways, from left to right, and from top to bottom; grey levels. */
  readonly diagonal: number;
  readonly across: number;
  readonly along: number;
  /** Logarithm of mean magnitude over root mean square of the diagonal band: low where a few values stand out. */
  readonly peakedness: number;
  /** Share of the diagonal band below `none`. */
  readonly emptyShare: number;
  readonly mean: number;
}

/** Side of the largest square that is asked for. */
export const widestPatch = 11;

const low = new Float32Array(widestPatch * widestPatch);
const high = new Float32Array(widestPatch * widestPatch);
const softly = 0.05;

/**
 * @param patch - square of `side + 3` values a side, row-major.
 * @see Daubechies, "Ten Lectures on Wavelets" (1992), 8.3.4: the spline pair of four taps, without decimation. Its high
 * pass answers 0 to every parabola, so that shading is not taken for noise.
 */
export function bandsOf(patch: Float32Array, side: number, none: number): Bands {
  const taken = side + 3;
  const mean = splitRows(patch, side, taken);
  let [diagonal, across, along, squares, empty] = [0, 0, 0, 0, 0];
  for (let at = 0; at < side * side; at++) {
    const below = at + side;
    const far = below + side;
    const farthest = far + side;
    const d = (3 * (high[below]! - high[far]!) - high[at]! + high[farthest]!) / 4;
    const h = (3 * (high[below]! + high[far]!) + high[at]! + high[farthest]!) / 8;
    const v = (3 * (low[below]! - low[far]!) - low[at]! + low[farthest]!) / 4;
    const size = Math.abs(d);
    diagonal += size;
    squares += d * d;
    across += Math.abs(h);
    along += Math.abs(v);
    if (size < none) empty++;
  }
  const count = side * side;
  diagonal /= count;
  return {
    diagonal,
    across: across / count,
    along: along / count,
    peakedness: Math.log((diagonal + softly) / (Math.sqrt(squares / count) + softly)),
    emptyShare: empty / count,
    mean,
  };
}

/** Fills `low` and `high` with `taken` rows of `side` values. @returns mean of the patch. */
function splitRows(patch: Float32Array, side: number, taken: number): number {
  let sum = 0;
  for (let y = 0, to = 0; y < taken; y++) {
    const row = y * taken;
    for (let x = 0; x < taken; x++) sum += patch[row + x]!;
    for (let from = row; from < row + side; from++, to++) {
      const outer = patch[from]!;
      const inner = patch[from + 1]!;
      const next = patch[from + 2]!;
      const last = patch[from + 3]!;
      low[to] = (outer + 3 * (inner + next) + last) / 8;
      high[to] = (3 * (inner - next) - outer + last) / 4;
    }
  }
  return sum / (taken * taken);
}
