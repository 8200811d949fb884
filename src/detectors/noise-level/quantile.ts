/** The value that a share 0..1 of the usable ones does not exceed, without interpolation. */
export function quantileOf(values: Float32Array, usable: Uint8Array, share: number): number {
  const sorted = values.filter((_, at) => usable[at] === 1).toSorted();
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}
