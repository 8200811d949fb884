/** Cell maps at the size of the picture: one value a cell becomes one value a pixel, bilinearly. */

import type { CellMaps } from '../engine/result.ts';

export interface Size {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Writes row `y` of the upsampled map to `row`, one value 0..65535 a pixel. */
export type FillRow = (values: Uint16Array, y: number, row: Uint16Array) => void;

interface Axis {
  /** For each pixel the two cells that it lies between. */
  readonly before: Uint16Array;
  readonly after: Uint16Array;
  /** Share of the second cell, in parts of `2 * cellPx`. */
  readonly share: Uint16Array;
}

/**
 * A reader of rows for maps of this grid. The value of cell i stands at its centre, `(i + 0.5) * cellPx`; beyond the
 * outermost centres the value stays what it is there. Exact integer arithmetic: the same values everywhere.
 *
 * @throws {RangeError} when the grid does not cover the picture or a map is not `columns * rows` long.
 */
export function createUpsampler(size: Size, maps: CellMaps): FillRow {
  assertGridCovers(size, maps);
  const { cellPx, columns, rows } = maps;
  const whole = 2 * cellPx;
  const half = (whole * whole) / 2;
  const across = readAxis(size.width, columns, cellPx);
  const down = readAxis(size.height, rows, cellPx);
  const between = new Float64Array(columns);

  return function fillRow(values, y, row) {
    const upper = down.before[y]! * columns;
    const lower = down.after[y]! * columns;
    const share = down.share[y]!;
    for (let i = 0; i < columns; i++) {
      between[i] = values[upper + i]! * (whole - share) + values[lower + i]! * share;
    }
    for (let x = 0; x < row.length; x++) {
      const right = across.share[x]!;
      const sum =
        between[across.before[x]!]! * (whole - right) + between[across.after[x]!]! * right;
      row[x] = (sum + half) / (whole * whole);
    }
  };
}

function readAxis(pixels: number, cells: number, cellPx: number): Axis {
  const before = new Uint16Array(pixels);
  const after = new Uint16Array(pixels);
  const share = new Uint16Array(pixels);
  for (let p = 0; p < pixels; p++) {
    // Pixel centres lie at p + 0.5, so the distance to the first cell's centre is odd in half pixels or even: exact.
    const distance = 2 * p + 1 - cellPx;
    const cell = Math.floor(distance / (2 * cellPx));
    before[p] = Math.min(Math.max(cell, 0), cells - 1);
    after[p] = Math.min(Math.max(cell + 1, 0), cells - 1);
    share[p] = distance - 2 * cellPx * cell;
  }
  return { before, after, share };
}

function assertGridCovers({ width, height }: Size, maps: CellMaps): void {
  const { cellPx, columns, rows, values, methods } = maps;
  const isCovering =
    Number.isInteger(cellPx) &&
    cellPx > 0 &&
    columns === Math.ceil(width / cellPx) &&
    rows === Math.ceil(height / cellPx);
  if (!isCovering) {
    throw new RangeError(
      `A grid of ${columns} x ${rows} cells of ${cellPx} px does not cover ${width} x ${height} px.`,
    );
  }
  for (const [name, map] of Object.entries({ ...methods, ...values })) {
    if (map.length !== columns * rows) {
      throw new RangeError(`The ${name} map holds ${map.length} values, not ${columns * rows}.`);
    }
  }
}
