/**
 * Mean over a square window around each cell, row by row; at the edges over what of it lies inside.
 *
 * @param radius - in cells; the window is `2 * radius + 1` wide.
 */
export function boxMean(values: Float32Array, columns: number, radius: number): Float32Array {
  const rows = values.length / columns;
  const wide = columns + 1;
  const sums = new Float64Array(wide * (rows + 1));
  for (let y = 0; y < rows; y++) {
    let line = 0;
    for (let x = 0; x < columns; x++) {
      line += values[y * columns + x]!;
      sums[(y + 1) * wide + x + 1] = sums[y * wide + x + 1]! + line;
    }
  }
  return values.map((_, at) => {
    const x = at % columns;
    const y = (at - x) / columns;
    const [left, right] = [Math.max(0, x - radius), Math.min(columns, x + radius + 1)];
    const [top, bottom] = [Math.max(0, y - radius) * wide, Math.min(rows, y + radius + 1) * wide];
    const sum =
      sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!;
    return (sum * wide) / ((right - left) * (bottom - top));
  });
}
