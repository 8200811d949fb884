/** Whether tiles of a picture can be joined: does an arm of the model say of a part, shown with its halo, what it says of the whole? */

import { coveringGrid, type FeatureGrid, type Grid } from './grid.ts';
import { type Arm, type CellBox, type Coloured, cutTile, grown, readFeatureGrid } from './tiles.ts';

/** Side of the part that is compared: each of its borders would be a seam. */
const partCells = 4;

/**
 * @returns how far the part in the middle of the picture is from the same part of the whole: the largest difference, as a
 * share of the largest value; NaN where the arm gives no numbers.
 */
export async function seamOf(picture: Coloured, arm: Arm): Promise<number> {
  const { cellPx, haloPx, read } = arm;
  const grid = coveringGrid(picture.facts, cellPx);
  const part = middleOf(grid);
  const box = grown(part, Math.ceil(haloPx / cellPx), grid);
  const whole = await readFeatureGrid(picture, arm, Infinity);
  const values = await read(cutTile(picture, box, cellPx), box.columns * cellPx, box.rows * cellPx);
  const inBox = { ...part, column: part.column - box.column, row: part.row - box.row };
  const alone = { channels: whole.channels, columns: box.columns, rows: box.rows, values };
  return distanceOf(valuesIn(part, whole), valuesIn(inBox, alone));
}

function middleOf(grid: Grid): CellBox {
  const [columns, rows] = [Math.min(partCells, grid.columns), Math.min(partCells, grid.rows)];
  return {
    column: (grid.columns - columns) >> 1,
    row: (grid.rows - rows) >> 1,
    columns,
    rows,
  };
}

function valuesIn(box: CellBox, { channels, columns, rows, values }: FeatureGrid): Float32Array {
  const inside: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    for (let row = box.row; row < box.row + box.rows; row++) {
      const from = (channel * rows + row) * columns + box.column;
      inside.push(...values.subarray(from, from + box.columns));
    }
  }
  return Float32Array.from(inside);
}

function distanceOf(one: Float32Array, other: Float32Array): number {
  let [largest, apart] = [0, 0];
  one.forEach((value, at) => {
    largest = Math.max(largest, Math.abs(value));
    apart = Math.max(apart, Math.abs(value - other[at]!));
  });
  return apart === 0 ? 0 : apart / largest;
}
