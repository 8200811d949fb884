/** Affine transforms: rotation, scaling, shear and mirroring. */

/** `x' = a x + b y + c`, `y' = d x + e y + f`. */
export type Affine = Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>>;

/** Positions and their destinations, in the same order. */
export type Moves = Readonly<Record<'x' | 'y' | 'toX' | 'toY', Float32Array>>;

const passes = 3;

/** Least squares, repeated without points off by more than `maxOffsetPx`. Null if collinear, or if most disagree. */
export function fitAffine(moves: Moves, maxOffsetPx: number): Affine | null {
  const kept = new Uint8Array(moves.x.length).fill(1);
  let affine: Affine | null = null;
  for (let pass = 0; pass < passes; pass++) {
    affine = solve(moves, kept);
    if (affine === null) return null;
    const { a, b, c, d, e, f } = affine;
    let left = 0;
    for (let i = 0; i < kept.length; i++) {
      const x = moves.x[i]!;
      const y = moves.y[i]!;
      const offX = a * x + b * y + c - moves.toX[i]!;
      const offY = d * x + e * y + f - moves.toY[i]!;
      kept[i] = offX * offX + offY * offY <= maxOffsetPx * maxOffsetPx ? 1 : 0;
      left += kept[i]!;
    }
    if (left < kept.length / 2) return null;
  }
  return affine;
}

/** Solves the normal equations after subtracting the means, so that large coordinates do not reduce precision. */
function solve(moves: Moves, kept: Uint8Array): Affine | null {
  const [mx, my] = [meanKept(moves.x, kept), meanKept(moves.y, kept)];
  const [mu, mv] = [meanKept(moves.toX, kept), meanKept(moves.toY, kept)];
  let [xx, xy, yy, xu, yu, xv, yv] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < kept.length; i++) {
    if (kept[i] === 0) continue;
    const x = moves.x[i]! - mx;
    const y = moves.y[i]! - my;
    const u = moves.toX[i]! - mu;
    const v = moves.toY[i]! - mv;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xu += x * u;
    yu += y * u;
    xv += x * v;
    yv += y * v;
  }
  const area = xx * yy - xy * xy;
  if (!(area > 1e-6 * (xx + yy) ** 2)) return null;
  const a = (xu * yy - yu * xy) / area;
  const b = (yu * xx - xu * xy) / area;
  const d = (xv * yy - yv * xy) / area;
  const e = (yv * xx - xv * xy) / area;
  return { a, b, c: mu - a * mx - b * my, d, e, f: mv - d * mx - e * my };
}

function meanKept(values: Float32Array, kept: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < kept.length; i++) {
    if (kept[i] === 0) continue;
    sum += values[i]!;
    count++;
  }
  return sum / count;
}

/** Factor by which lengths grow, averaged over all directions. */
export function affineScale({ a, b, d, e }: Affine): number {
  return Math.sqrt(Math.abs(a * e - b * d));
}

/** Deviation from a similarity: 0 if all angles are preserved, otherwise roughly how elliptical circles become. */
export function affineShear(affine: Affine): number {
  const { a, b, d, e } = affine;
  const scale = affineScale(affine);
  return Math.hypot(a * b + d * e, (a * a + d * d - b * b - e * e) / 2) / (scale * scale + 1e-6);
}

export function isMirrored({ a, b, d, e }: Affine): boolean {
  return a * e < b * d;
}

/** Rotation of the x axis in degrees, -180..180, clockwise as the viewer sees it. */
export function affineTurn({ a, d }: Affine): number {
  return (Math.atan2(d, a) * 180) / Math.PI;
}

/** Composes two transforms: `inner` first, then `outer`. */
export function after(outer: Affine, inner: Affine): Affine {
  return {
    a: outer.a * inner.a + outer.b * inner.d,
    b: outer.a * inner.b + outer.b * inner.e,
    c: outer.a * inner.c + outer.b * inner.f + outer.c,
    d: outer.d * inner.a + outer.e * inner.d,
    e: outer.d * inner.b + outer.e * inner.e,
    f: outer.d * inner.c + outer.e * inner.f + outer.f,
  };
}

/** The inverse transform; the linear part must be invertible. */
export function invertAffine({ a, b, c, d, e, f }: Affine): Affine {
  const area = a * e - b * d;
  const back = { a: e / area, b: -b / area, d: -d / area, e: a / area };
  return { ...back, c: -(back.a * c + back.b * f), f: -(back.d * c + back.e * f) };
}

export function moved(
  { a, b, c, d, e, f }: Affine,
  x: number,
  y: number,
): readonly [number, number] {
  return [a * x + b * y + c, d * x + e * y + f];
}

/** Solves `matrix x = right` for a symmetric positive definite matrix, row-major; null if singular. Overwrites both. */
export function solveSymmetric(matrix: Float64Array, right: Float64Array): Float64Array | null {
  const n = right.length;
  for (let pivot = 0; pivot < n; pivot++) {
    const head = matrix[pivot * n + pivot]!;
    if (!(head > 1e-9)) return null;
    for (let row = pivot + 1; row < n; row++) {
      const factor = matrix[row * n + pivot]! / head;
      for (let column = pivot; column < n; column++) {
        matrix[row * n + column]! -= factor * matrix[pivot * n + column]!;
      }
      right[row]! -= factor * right[pivot]!;
    }
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let column = row + 1; column < n; column++) {
      right[row]! -= matrix[row * n + column]! * right[column]!;
    }
    right[row]! /= matrix[row * n + row]!;
  }
  return right;
}
