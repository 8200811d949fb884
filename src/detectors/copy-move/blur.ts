/** Means over squares, added up as the square slides: the time does not grow with its size. */

/**
 * At the edges over what of the square lies inside.
 *
 * @param radius - in samples; the square is `2 * radius + 1` wide.
 */
export function boxBlur(values: Float32Array, width: number, radius: number): Float32Array {
  const height = values.length / width;
  const blurred = new Float32Array(values.length);
  const sums = new Float64Array(width);
  const shares = Float64Array.from({ length: width }, (_, x) => 1 / spanAt(x, width, radius));
  for (let y = -radius; y < height; y++) {
    slide(sums, values, (y + radius) * width, (y - radius - 1) * width);
    if (y < 0) continue;
    const share = 1 / spanAt(y, height, radius);
    const row = y * width;
    let [sum, x] = [0, 0];
    for (; x < Math.min(radius, width); x++) sum += sums[x]!;
    for (x = 0; x < Math.min(radius + 1, width); x++) {
      if (x + radius < width) sum += sums[x + radius]!;
      blurred[row + x] = sum * shares[x]! * share;
    }
    for (; x < width - radius; x++) {
      sum += sums[x + radius]! - sums[x - radius - 1]!;
      blurred[row + x] = sum * shares[x]! * share;
    }
    for (; x < width; x++) {
      sum -= sums[x - radius - 1]!;
      blurred[row + x] = sum * shares[x]! * share;
    }
  }
  return blurred;
}

/** How many samples of a line lie within `radius` of `at`. */
function spanAt(at: number, length: number, radius: number): number {
  return Math.min(length - 1, at + radius) - Math.max(0, at - radius) + 1;
}

/** Adds one row of the values to the sums and takes one away, where there is such a row. */
function slide(sums: Float64Array, values: Float32Array, enters: number, leaves: number): void {
  const width = sums.length;
  if (enters < values.length) for (let x = 0; x < width; x++) sums[x]! += values[enters + x]!;
  if (leaves >= 0) for (let x = 0; x < width; x++) sums[x]! -= values[leaves + x]!;
}
