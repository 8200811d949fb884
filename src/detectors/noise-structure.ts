/**
 * How much fine structure each cell of a picture holds, at three scales: noise and sharpness in numbers that a cell shares
 * with its neighbours when both have the same camera and history.
 */

import type { Picture } from '../image/picture.ts';
import {
  type Bands,
  bandsOf,
  diagonalOf,
  halve,
  halvePicture,
  meanOf,
  overhang,
  type Plane,
  type Square,
} from './noise-bands.ts';

/** Of each cell: `context` numbers on coarse structure and light, then those on fine structure that go with them. */
export const context = 4;
export const numbersPerCell = 16;

export interface FineStructure {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
  /** `numbersPerCell` for each cell, row-major. */
  readonly numbers: Float32Array;
  /** 1 where at most half of the pixels are clipped to black or white: no noise is left in the others. */
  readonly usable: Uint8Array;
  /** 1 where a cell is usable and its finest band, or the next, holds anything at all. */
  readonly structured: Uint8Array;
}

/** Pixels a side of the smallest cell: a block of JPEG. */
const block = 8;
/** More cells than this would cost time and add no information: larger pictures get larger cells, read in their middle. */
const maxCells = 65_536;
const [darkest, brightest] = [3, 252];
/** Keeps the logarithm of an empty band finite; the steps of 8 bits are not much smaller. */
const floor = 0.1;
/** Below this a value of the finest band counts as none. */
const none = 0.5;

export function fineStructureOf(picture: Picture): FineStructure {
  const { width, height } = picture.facts;
  const cellPx = block * Math.ceil(Math.sqrt((width * height) / (maxCells * block * block)));
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const numbers = new Float32Array(columns * rows * numbersPerCell);
  const usable = new Uint8Array(columns * rows);
  const structured = new Uint8Array(columns * rows);
  const read = cellReader(picture, cellPx);
  for (let cell = 0; cell < usable.length; cell++) {
    const column = cell % columns;
    const row = (cell - column) / columns;
    const found = read(column, row, { numbers, from: cell * numbersPerCell });
    usable[cell] = Number(!found.isClipped);
    structured[cell] = Number(found.isStructured && !found.isClipped);
  }
  return { cellPx, columns, rows, numbers, usable, structured };
}

interface CellNumbers {
  readonly numbers: Float32Array;
  /** Index of the cell's first number. */
  readonly from: number;
}

/** Reads a cell, row by row of cells, into its numbers. */
function cellReader(picture: Picture, cellPx: number) {
  const halved = halvePicture(picture);
  const coarseAt = cutter(halve(halved.luma), cellPx, 2);
  const middleAt = cutter(halved.luma, cellPx, 1);
  const blueAt = cutter(halved.blue, cellPx, 1);
  const redAt = cutter(halved.red, cellPx, 1);
  const fineAt = fineCutter(picture, cellPx);
  return (column: number, row: number, { numbers, from }: CellNumbers) => {
    const coarse = coarseAt(column, row);
    setLoudness(numbers, from, bandsOf(coarse, none));
    numbers[from + 3] = meanOf(coarse) / 128;
    const middle = bandsOf(middleAt(column, row), none);
    setLoudness(numbers, from + 4, middle);
    numbers[from + 7] = middle.peakedness;
    numbers[from + 8] = middle.emptyShare;
    numbers[from + 9] = Math.log(diagonalOf(blueAt(column, row)) + floor);
    numbers[from + 10] = Math.log(diagonalOf(redAt(column, row)) + floor);
    const { square, isClipped } = fineAt(column, row);
    const fine = bandsOf(square, none);
    setLoudness(numbers, from + 11, fine);
    numbers[from + 14] = fine.peakedness;
    numbers[from + 15] = fine.emptyShare;
    return { isClipped, isStructured: fine.emptyShare < 1 || middle.emptyShare < 1 };
  };
}

/** @returns the square in the middle of a cell; the plane is `1 << level` times smaller than the picture. */
function cutter(plane: Plane, cellPx: number, level: number) {
  const { width, values } = plane;
  const side = Math.min(block, cellPx >> level);
  const startOf = startsIn(plane, { side, cellPx, level });
  return (column: number, row: number): Square => {
    return { values, width, start: startOf(column, row), side };
  };
}

/**
 * The same of the luma itself, copied: the planes hold another kind of number, and loops are fast on one kind only. Clipped where
 * most of it is.
 */
function fineCutter({ facts: { width, height }, luma }: Picture, cellPx: number) {
  const taken = block + overhang;
  const values = new Float32Array(taken * taken);
  const square: Square = { values, width: taken, start: 0, side: block };
  const startOf = startsIn({ width, height }, { side: block, cellPx, level: 0 });
  return (column: number, row: number) => {
    let clipped = 0;
    let to = 0;
    const first = startOf(column, row);
    for (let start = first; start < first + taken * width; start += width) {
      for (let at = start; at < start + taken; at++, to++) {
        const value = luma[at]!;
        values[to] = value;
        clipped += Number(value <= darkest) + Number(value >= brightest);
      }
    }
    return { square, isClipped: 2 * clipped > taken * taken };
  };
}

interface Scale {
  /** Of the squares. */
  readonly side: number;
  readonly cellPx: number;
  readonly level: number;
}

/** Where in a plane the square of each cell begins, moved inside at the edges. */
function startsIn(
  { width, height }: Pick<Plane, 'width' | 'height'>,
  { side, cellPx, level }: Scale,
) {
  const taken = side + overhang;
  const before = (cellPx >> 1) - ((taken << level) >> 1);
  const along = (cell: number, length: number) =>
    Math.max(0, Math.min((cell * cellPx + before) >> level, length - taken));
  return (column: number, row: number) => along(row, height) * width + along(column, width);
}

function setLoudness(numbers: Float32Array, at: number, { diagonal, across, along }: Bands): void {
  numbers[at] = Math.log(diagonal + floor);
  numbers[at + 1] = Math.log(across + floor);
  numbers[at + 2] = Math.log(along + floor);
}

// Means over the usable cells of a square around each cell. At the border the square is shifted, not cropped: a mean over
// fewer cells varies more and would stand out for that alone.

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

/** Which of `length` positions in a line a square around one of them covers. */
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
