/** The order in which a JPEG file lists the 64 frequencies of a block. */

/** Along the zig-zag, where each value stands in its block: eight times the row plus the column. */
export const placesInBlock: readonly number[] = Array.from(
  { length: 64 },
  (_, place) => place,
).toSorted(
  (one, other) =>
    diagonalOf(one) - diagonalOf(other) || (diagonalOf(one) % 2 === 0 ? other - one : one - other),
);

/** 0 in the upper left corner; even ones are followed upwards, odd ones downwards. */
function diagonalOf(place: number): number {
  return (place >> 3) + (place & 7);
}

/**
 * The same 64 values row by row, as a block holds them.
 *
 * @param values - along the zig-zag.
 * @see ITU-T T.81 (1992), Figure A.6.
 */
export function inRows(values: readonly number[]): number[] {
  const rows: number[] = Array.from({ length: placesInBlock.length });
  for (const [position, place] of placesInBlock.entries()) rows[place] = values[position]!;
  return rows;
}
