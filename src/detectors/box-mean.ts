/**
 * Mean over a square window around each cell, row by row; at the edges over what of it lies inside. Sums slide along, so the
 * time does not grow with the window.
 *
 * @param radius - in cells; the window is `2 * radius + 1` wide.
 */
export function boxMean(values: Float32Array, columns: number, radius: number): Float32Array {
  const rows = values.length / columns;
  const means = new Float32Array(values.length);
  const sums = new Float64Array(columns);
  const shares = Float64Array.from({ length: columns }, (_, x) => 1 / spanAt(x, columns, radius));
  for (let y = -radius; y < rows; y++) {
    slide(sums, values, (y + radius) * columns, (y - radius - 1) * columns);
    if (y < 0) continue;
    const share = 1 / spanAt(y, rows, radius);
    const row = y * columns;
    let [sum, x] = [0, 0];
    for (; x < Math.min(radius, columns); x++) sum += sums[x]!;
    for (x = 0; x < Math.min(radius + 1, columns); x++) {
      if (x + radius < columns) sum += sums[x + radius]!;
      means[row + x] = sum * shares[x]! * share;
    }
    for (; x < columns - radius; x++) {
      sum += sums[x + radius]! - sums[x - radius - 1]!;
      means[row + x] = sum * shares[x]! * share;
    }
    for (; x < columns; x++) {
      sum -= sums[x - radius - 1]!;
      means[row + x] = sum * shares[x]! * share;
    }
  }
  return means;
}

/** How many cells of a line lie within `radius` of `at`. */
function spanAt(at: number, length: number, radius: number): number {
  return Math.min(length - 1, at + radius) - Math.max(0, at - radius) + 1;
}

/** Adds one row of the values to the sums and takes one away, where there is such a row. */
function slide(sums: Float64Array, values: Float32Array, enters: number, leaves: number): void {
  const columns = sums.length;
  if (enters < values.length) for (let x = 0; x < columns; x++) sums[x]! += values[enters + x]!;
  if (leaves >= 0) for (let x = 0; x < columns; x++) sums[x]! -= values[leaves + x]!;
}
