/** Brightness and grain of a picture in cells that need not be whole pixels wide. */

/** Row-major luma, 0..255. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

export interface CellSize {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
}

export interface Cells {
  readonly means: Float64Array;
  /** Standard deviation of the pixels of each cell. */
  readonly grain: Float64Array;
}

/** @param box - pixels of a cell, which need not be whole numbers but are 1 or more. */
export function measureCells(
  { width, height, luma }: Plane,
  { columns, rows }: CellSize,
  box: { readonly across: number; readonly down: number },
): Cells {
  // The column behind the last takes what rounding leaves of it.
  const stride = columns + 1;
  const [areas, sums, squares] = Array.from(
    { length: 3 },
    () => new Float64Array(stride * (rows + 1)),
  );
  const alongX = sharesOf(width, box.across, columns);
  const alongY = sharesOf(height, box.down, rows);
  for (let y = 0, from = 0; y < height; y++) {
    const row = alongY.cell[y]! * stride;
    const upper = alongY.share[y]!;
    for (let x = 0; x < width; x++, from++) {
      const value = luma[from]!;
      const left = alongX.share[x]!;
      const cell = row + alongX.cell[x]!;
      add(cell, upper * left, value);
      if (left < 1) add(cell + 1, upper * (1 - left), value);
      if (upper === 1) continue;
      add(cell + stride, (1 - upper) * left, value);
      if (left < 1) add(cell + stride + 1, (1 - upper) * (1 - left), value);
    }
  }
  const inside = (totals: Float64Array) =>
    Float64Array.from({ length: columns * rows }, (_, cell) => {
      const at = Math.floor(cell / columns) * stride + (cell % columns);
      return totals[at]! / areas![at]!;
    });
  const means = inside(sums!);
  const grain = inside(squares!).map((square, cell) =>
    Math.sqrt(Math.max(0, square - means[cell]! ** 2)),
  );
  return { means, grain };

  function add(cell: number, area: number, value: number): void {
    areas![cell]! += area;
    sums![cell]! += area * value;
    squares![cell]! += area * value * value;
  }
}

/** For each pixel the cell that it begins in, and how much of it lies there; the rest lies in the next. */
function sharesOf(length: number, cellLength: number, count: number) {
  const cell = new Int32Array(length);
  const share = new Float64Array(length);
  for (let at = 0; at < length; at++) {
    cell[at] = Math.min(count - 1, Math.floor(at / cellLength + 1e-9));
    const end = (cell[at]! + 1) * cellLength;
    share[at] = cell[at] === count - 1 ? 1 : Math.min(1, end - at);
  }
  return { cell, share };
}
