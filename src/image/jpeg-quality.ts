/** The libjpeg quality setting that a quantisation table indicates. */

/**
 * The libjpeg quality setting whose luminance table comes closest to `steps`.
 *
 * @param steps - 64 quantisation steps in zig-zag order, as a DQT segment stores them; each 1..255.
 * @returns `value` 1..100 (the higher of two equally close settings) and `distance`: mean absolute difference in steps,
 *   0 when exact.
 * @see ITU-T T.81 (1992), Annex K, Table K.1, for the base table; libjpeg's jcparam.c for its scaling.
 */
export function nearestQuality(steps: readonly number[]): { value: number; distance: number } {
  let [value, distance] = [100, Number.POSITIVE_INFINITY];
  for (let quality = 100; quality >= 1; quality--) {
    const table = luminanceTable(quality);
    const sum = steps.reduce((total, step, i) => total + Math.abs(step - table[i]!), 0);
    const difference = sum / steps.length;
    if (difference < distance) [value, distance] = [quality, difference];
  }
  return { value, distance };
}

/** libjpeg's luminance table for `quality` 1..100, baseline (steps clipped to 1..255), in zig-zag order. */
export function luminanceTable(quality: number): number[] {
  return scaleTable(baseLuminance, quality);
}

/** Like `luminanceTable`, for both chroma components. */
export function chrominanceTable(quality: number): number[] {
  return scaleTable(baseChrominance, quality);
}

/** Scales and clips `base`, the table for quality 50, in the way of libjpeg and compatible encoders. */
export function scaleTable(base: readonly number[], quality: number): number[] {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return base.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** Table K.1, in the zig-zag order shown in Figure A.6. */
const baseLuminance: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37,
  29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
  95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/** Table K.2, in the same order. */
const baseChrominance: readonly number[] = [
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66,
].concat(Array<number>(50).fill(99));

/** For each zig-zag position, the index in the block: eight times the row, plus the column. */
export const placesInBlock: readonly number[] = Array.from(
  { length: 64 },
  (_, place) => place,
).toSorted(
  (one, other) =>
    diagonalAt(one) - diagonalAt(other) || (diagonalAt(one) % 2 === 0 ? other - one : one - other),
);

/** Index of the diagonal, counted from 0 in the upper left corner; even ones run upwards, odd ones downwards. */
function diagonalAt(place: number): number {
  return (place >> 3) + (place & 7);
}

/** Reorders 64 values from zig-zag order to row-major. @see ITU-T T.81 (1992), Figure A.6. */
export function inRows(values: readonly number[]): number[] {
  const rows: number[] = Array.from({ length: placesInBlock.length });
  for (const [position, place] of placesInBlock.entries()) rows[place] = values[position]!;
  return rows;
}
