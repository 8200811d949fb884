/** The value that a share 0..1 of the usable ones does not exceed, without interpolation. */
export function quantileOf(values: Float32Array, usable: Uint8Array, share: number): number {
  const kept = new Float32Array(values.length);
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    if (usable[at] === 1) kept[count++] = values[at]!;
  }
  return selected(kept.subarray(0, count), Math.floor(share * (count - 1)));
}

/** What would stand at `place` if the values were sorted; changes their order. @see Hoare, "Algorithm 65: find" (1961). */
function selected(values: Float32Array, place: number): number {
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
    if (place <= down) last = down;
    else if (place >= up) first = up;
    else break;
  }
  return values[place]!;
}
