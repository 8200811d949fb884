/**
 * Means over the usable cells of a square around each cell. At the border the square is moved, not cut: a mean over fewer
 * cells scatters more and would stand out for that alone.
 */

interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly usable: Uint8Array;
}

/**
 * @param values - `each` numbers for each cell, row-major.
 * @param reach - cells to each side.
 * @returns as `values`; 0 where no cell of the square is usable.
 */
export function meanAround(
  values: Float32Array,
  { columns, rows, usable }: Grid,
  { each, reach }: { readonly each: number; readonly reach: number },
): Float32Array {
  const side = 2 * reach + 1;
  const start = (at: number, length: number) => Math.max(0, Math.min(at - reach, length - side));
  const means = new Float32Array(values.length);
  for (let cell = 0; cell < usable.length; cell++) {
    const column = cell % columns;
    const row = (cell - column) / columns;
    const left = start(column, columns);
    const top = start(row, rows);
    const to = cell * each;
    let count = 0;
    for (let y = top; y < Math.min(rows, top + side); y++) {
      for (let x = left; x < Math.min(columns, left + side); x++) {
        const from = y * columns + x;
        if (usable[from] === 0) continue;
        count++;
        for (let i = 0; i < each; i++) means[to + i]! += values[from * each + i]!;
      }
    }
    if (count === 0) continue;
    for (let i = 0; i < each; i++) means[to + i]! /= count;
  }
  return means;
}
