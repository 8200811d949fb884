/**
 * Means over the usable cells of a square around each cell. At the border the square is moved, not cut: a mean over fewer
 * cells scatters more and would stand out for that alone.
 */

interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly usable: Uint8Array;
}

interface Window {
  /** Numbers for each cell. */
  readonly each: number;
  /** Cells to each side. */
  readonly reach: number;
}

/**
 * @param values - `each` numbers for each cell, row-major.
 * @returns as `values`; 0 where no cell of the square is usable.
 */
export function meanAround(values: Float32Array, grid: Grid, window: Window): Float32Array {
  const { each, reach } = window;
  const sums = sumAround(values, grid, window);
  const counts = sumAround(Float32Array.from(grid.usable), grid, { each: 1, reach });
  for (let at = 0; at < sums.length; at++) {
    sums[at]! /= Math.max(1, counts[Math.floor(at / each)]!);
  }
  return sums;
}

/** First along the rows, over what is usable, then down the columns. */
function sumAround(
  values: Float32Array,
  { columns, rows, usable }: Grid,
  { each, reach }: Window,
): Float32Array {
  const across = new Float32Array(values.length);
  const sums = new Float32Array(values.length);
  const horizontal = windowOf(columns, reach);
  const vertical = windowOf(rows, reach);
  for (let cell = 0; cell < usable.length; cell++) {
    const column = cell % columns;
    const first = cell - column + horizontal.start(column);
    for (let from = first; from < first + horizontal.length; from++) {
      if (usable[from] === 1) add(values, from * each, each, across, cell * each);
    }
  }
  for (let cell = 0; cell < usable.length; cell++) {
    const column = cell % columns;
    const first = vertical.start((cell - column) / columns) * columns + column;
    for (let from = first; from < first + vertical.length * columns; from += columns) {
      add(across, from * each, each, sums, cell * each);
    }
  }
  return sums;
}

/** Which of `length` places in a line a square around one of them takes in. */
function windowOf(length: number, reach: number) {
  const side = Math.min(length, 2 * reach + 1);
  return {
    length: side,
    start: (at: number) => Math.max(0, Math.min(at - reach, length - side)),
  };
}

function add(from: Float32Array, at: number, count: number, into: Float32Array, to: number): void {
  for (let i = 0; i < count; i++) into[to + i]! += from[at + i]!;
}
