/** The grid of cells that the network answers on, and where patches may lie on it. */

export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** Features of each cell: `values[channel * columns * rows + row * columns + column]`. */
export interface FeatureGrid extends Grid {
  readonly channels: number;
  readonly values: Float32Array;
}

/** Where a window of cells begins; its size is `windowOf` of the grid. */
export interface CellPosition {
  readonly column: number;
  readonly row: number;
}

/** Cells that cover a picture; the last column and row may hang over the edge. */
export function coveringGrid(size: { width: number; height: number }, cellPx: number): Grid {
  return { columns: Math.ceil(size.width / cellPx), rows: Math.ceil(size.height / cellPx) };
}

/** Cells that lie inside a picture as a whole, at least one in each direction. */
export function insideGrid(size: { width: number; height: number }, cellPx: number): Grid {
  return {
    columns: Math.max(1, Math.floor(size.width / cellPx)),
    rows: Math.max(1, Math.floor(size.height / cellPx)),
  };
}

/** Columns and rows of a patch: `patchCells`, or what a smaller grid has. */
export function windowOf(grid: Grid, patchCells: number): Grid {
  return {
    columns: Math.min(patchCells, grid.columns),
    rows: Math.min(patchCells, grid.rows),
  };
}

/**
 * First cells of the patches along one side: every `stride`, and one more that ends at the edge, so that no cell of
 * the border is left unread.
 */
export function patchStarts(length: number, patchCells: number, stride: number): number[] {
  const last = Math.max(0, length - patchCells);
  const starts: number[] = [];
  for (let start = 0; start < last; start += stride) starts.push(start);
  return [...starts, last];
}
