/**
 * How much fine structure each place of a picture holds, at three sizes: noise and sharpness in numbers that a place
 * shares with its neighbours when one camera and one history made both.
 */

import type { Picture } from '../../image/picture.ts';
import { type Bands, bandsOf, widestPatch } from './bands.ts';

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
}

/** Pixels a side of the smallest cell: a block of JPEG. */
const block = 8;
/** More cells than this would cost time and tell no more: larger pictures get larger cells, read in their middle. */
const mostCells = 65_536;
const [darkest, brightest] = [3, 252];
/** Keeps the logarithm of an empty band finite; the steps of 8 bits are not much smaller. */
const floor = 0.1;
/** Below this a value of the finest band counts as none. */
const none = 0.5;

export function fineStructureOf(picture: Picture): FineStructure {
  const { width, height } = picture.facts;
  const cellPx = block * Math.ceil(Math.sqrt((width * height) / (mostCells * block * block)));
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const numbers = new Float32Array(columns * rows * numbersPerCell);
  const usable = new Uint8Array(columns * rows);
  const read = cellReader(picture, cellPx);
  for (let cell = 0; cell < usable.length; cell++) {
    const column = cell % columns;
    const here = numbers.subarray(cell * numbersPerCell, (cell + 1) * numbersPerCell);
    usable[cell] = read(column * cellPx, ((cell - column) / columns) * cellPx, here) ? 1 : 0;
  }
  return { cellPx, columns, rows, numbers, usable };
}

/** Reads the cell at (left, top) into `numbers`; false when it is clipped. */
function cellReader({ facts, luma, rgb }: Picture, cellPx: number) {
  const { width, height } = facts;
  const patch = new Float32Array(widestPatch * widestPatch);

  /** Bands around the middle of a cell, of pixels that are each the mean of `1 << level` squared. */
  const bandsAt = (left: number, top: number, level: number, plane: Plane): Bands => {
    const side = Math.min(block, cellPx >> level);
    const taken = side + 3;
    const size = taken << level;
    const start = (from: number, length: number) => {
      const wished = Math.min(from + (cellPx >> 1) - (size >> 1), length - size);
      return Math.max(0, wished) & -(1 << level);
    };
    plane({ patch, taken, level, left: start(left, width), top: start(top, height) });
    return bandsOf(patch, side, none);
  };

  const grey = lumaPlane(luma, width);
  const [blue, red] = [colourPlane(rgb, width, 'blue'), colourPlane(rgb, width, 'red')];
  return (left: number, top: number, numbers: Float32Array): boolean => {
    const coarse = bandsAt(left, top, 2, grey);
    numbers.set(loudness(coarse));
    numbers[3] = coarse.mean / 128;
    const middle = bandsAt(left, top, 1, grey);
    numbers.set([...loudness(middle), middle.peakedness, middle.emptyShare], 4);
    numbers[9] = Math.log(bandsAt(left, top, 1, blue).diagonal + floor);
    numbers[10] = Math.log(bandsAt(left, top, 1, red).diagonal + floor);
    const fine = bandsAt(left, top, 0, grey);
    numbers.set([...loudness(fine), fine.peakedness, fine.emptyShare], 11);
    return !isClipped(patch, Math.min(block, cellPx) + 3);
  };
}

function loudness({ diagonal, across, along }: Bands): readonly [number, number, number] {
  return [Math.log(diagonal + floor), Math.log(across + floor), Math.log(along + floor)];
}

function isClipped(patch: Float32Array, taken: number): boolean {
  let clipped = 0;
  for (let at = 0; at < taken * taken; at++) {
    if (patch[at]! <= darkest || patch[at]! >= brightest) clipped++;
  }
  return 2 * clipped > taken * taken;
}

interface Cut {
  readonly patch: Float32Array;
  /** Side of the patch in its own, larger pixels. */
  readonly taken: number;
  readonly level: number;
  readonly left: number;
  readonly top: number;
}

type Plane = (cut: Cut) => void;

function lumaPlane(luma: Uint8Array, width: number): Plane {
  return ({ patch, taken, level, left, top }) => {
    const step = 1 << level;
    const scale = 1 / (step * step);
    for (let y = 0, to = 0; y < taken; y++) {
      for (let x = 0; x < taken; x++, to++) {
        const corner = (top + y * step) * width + left + x * step;
        let sum = 0;
        for (let line = corner; line < corner + step * width; line += width) {
          for (let at = line; at < line + step; at++) sum += luma[at]!;
        }
        patch[to] = scale * sum;
      }
    }
  };
}

/** Cb (blue) or Cr (red) of ITU-R BT.601. */
function colourPlane(rgb: Uint8Array, width: number, channel: 'blue' | 'red'): Plane {
  const isBlue = channel === 'blue';
  const [ofRed, ofGreen, ofBlue] = isBlue ? [-0.169, -0.331, 0.5] : [0.5, -0.419, -0.081];
  return ({ patch, taken, level, left, top }) => {
    const step = 1 << level;
    const scale = 1 / (step * step);
    for (let y = 0, to = 0; y < taken; y++) {
      for (let x = 0; x < taken; x++, to++) {
        const corner = 3 * ((top + y * step) * width + left + x * step);
        let [red, green, blue] = [0, 0, 0];
        for (let line = corner; line < corner + 3 * step * width; line += 3 * width) {
          for (let at = line; at < line + 3 * step; at += 3) {
            red += rgb[at]!;
            green += rgb[at + 1]!;
            blue += rgb[at + 2]!;
          }
        }
        patch[to] = scale * (ofRed * red + ofGreen * green + ofBlue * blue);
      }
    }
  };
}
