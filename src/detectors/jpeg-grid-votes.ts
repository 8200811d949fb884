/** Which of the 64 possible block grids each pixel votes for: the one whose block around it holds most zeros. */

import { excess, transformEight } from './blocks.ts';
import type { StoredPlane } from './stored-plane.ts';

const period = 8;
const overhang = period - 1;
/** Side of the squares of pixels that vote. */
export const tilePx = 64;

/** One core casts some four million votes a second. */
const maxVotes = 2_000_000;

/** Of a pixel whose best two blocks tie, or that is outside the picture. */
export const noVote = 64;

/**
 * Votes of the squares, laid side by side: `width` by `height` pixels, both multiples of 64. A vote is the column of
 * the grid's origin plus eight times its row, 0..63, or `noVote`.
 */
export interface Votes {
  readonly width: number;
  readonly height: number;
  readonly votes: Uint8Array;
  /** From one square to the next, in pixels of the picture: 64 where every pixel votes. */
  readonly tileStep: number;
}

/** True where no pixel has all 64 blocks around it inside the picture, or hardly one. */
export function isTooSmallToVote({ width, height }: StoredPlane): boolean {
  return Math.min(width, height) < tilePx;
}

/** The vote that was cast nearest to a pixel of the stored picture, along either side; `length` is that of `Votes`. */
export function nearestVote(pixel: number, tileStep: number, length: number): number {
  const at = Math.max(0, pixel - overhang);
  const tile = Math.floor(at / tileStep);
  const within = at - tile * tileStep;
  const isNextNearer = within - tilePx >= tileStep - within;
  const vote = isNextNearer ? (tile + 1) * tilePx : tile * tilePx + Math.min(tilePx - 1, within);
  return Math.min(length - 1, vote);
}

/** @param most - votes, about; of larger pictures squares vote, evenly spread. */
export function castVotes(plane: StoredPlane, most: number = maxVotes): Votes {
  const { width, height } = plane;
  const shrink = Math.max(1, Math.sqrt((width * height) / most));
  const tileStep = Math.ceil(tilePx * shrink);
  const [across, down] = [tilesAlong(width, tileStep), tilesAlong(height, tileStep)];
  const counter = createZeroCounter(tilePx + overhang);
  const votes = new Uint8Array(across * down * tilePx * tilePx).fill(noVote);
  const cast = createCaster({ votes, width: across * tilePx });
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const [left, top] = [column * tileStep, row * tileStep];
      cast(counter.count(plane, left, top), {
        left,
        top,
        width: Math.min(tilePx, width - 2 * overhang - left),
        height: Math.min(tilePx, height - 2 * overhang - top),
        at: row * tilePx * across * tilePx + column * tilePx,
      });
    }
  }
  return { width: across * tilePx, height: down * tilePx, votes, tileStep };
}

function tilesAlong(length: number, tileStep: number): number {
  return Math.ceil((length - 2 * overhang) / tileStep);
}

interface Tile {
  /** Of the first block, in pixels of the picture. */
  readonly left: number;
  readonly top: number;
  /** Pixels that vote. */
  readonly width: number;
  readonly height: number;
  /** Of the first vote, in `Votes`. */
  readonly at: number;
}

/** The origin of the greatest of the 8 by 8 counts that begin at each pixel or before it. */
function createCaster({ votes, width }: Pick<Votes, 'votes' | 'width'>) {
  const reach = tilePx + overhang;
  const keys = new Int32Array(reach * reach);
  return (counts: Uint8Array, tile: Tile): void => {
    for (let y = 0, at = 0; y < reach; y++) {
      const row = ((tile.top + y) % period) << 3;
      for (let x = 0; x < reach; x++, at++) {
        keys[at] = (counts[at]! << 8) | row | ((tile.left + x) % period);
      }
    }
    takeGreatestOfEight(keys, 1);
    takeGreatestOfEight(keys, reach);
    for (let y = 0; y < tile.height; y++) {
      const to = tile.at + y * width;
      for (let x = 0; x < tile.width; x++) {
        const key = keys[y * reach + x]!;
        const isCast = key >> 8 > 0 && (key & 128) === 0;
        votes[to + x] = isCast ? key & 63 : noVote;
      }
    }
  };
}

/**
 * Replaces each key by the greatest of the eight that begin with it, `gap` apart: of pairs, of pairs of pairs, and of
 * those. What has no eight behind it becomes nothing of use.
 */
function takeGreatestOfEight(keys: Int32Array, gap: number): void {
  for (let step = gap; step < period * gap; step *= 2) {
    for (let at = 0; at + step < keys.length; at++) keys[at] = greater(keys[at]!, keys[at + step]!);
  }
}

/** Of two keys `count * 256 + (tied ? 128 : 0) + origin`. Without branches, as nothing foretells which is greater. */
function greater(a: number, b: number): number {
  const isTied = (((a ^ b) >> 8) - 1) >>> 31;
  return Math.max(a, b) | (isTied << 7);
}

// Counts the zero DCT coefficients of the 8 by 8 block that begins at each pixel. JPEG sets many to zero in its own
// blocks, so the count is high where a block of the picture's grid begins, and low one pixel beside it.

const side = 8;
const margin = side - 1;

/** A coefficient of the orthonormal transform counts as zero below this. @see ZERO (IPOL 2021), section 2. */
const zeroBelow = 0.5;

interface ZeroCounter {
  /**
   * Counts 0..64 of the blocks that begin in the square whose upper left pixel is (left, top), row by row, valid until
   * the next call. A block whose rows or whose columns are all alike counts 0: its zeros come from no compression.
   * Where a block would reach beyond the picture, the count means nothing.
   */
  count(plane: StoredPlane, left: number, top: number): Uint8Array;
}

/** @param reach - side in pixels of the squares; room is made once, and the loops allocate nothing. */
export function createZeroCounter(reach: number): ZeroCounter {
  const wide = reach + margin;
  const pixels = new Float64Array(wide * wide);
  const across = new Float64Array(side * wide * reach);
  const counts = new Uint8Array(reach * reach);
  return {
    count: (plane, left, top) => {
      copySquare(plane, { left, top, wide }, pixels);
      transformRows(pixels, reach, across);
      counts.fill(0);
      for (let u = 0; u < side; u++) {
        const columns = across.subarray(u * wide * reach, (u + 1) * wide * reach);
        addZeros(columns, reach, limitsOf[u]!, counts);
      }
      dropStriped(pixels, reach, counts);
      return counts;
    },
  };
}

interface Square {
  readonly left: number;
  readonly top: number;
  readonly wide: number;
}

/** The last pixels are repeated beyond the picture's edge. */
function copySquare({ luma, width, height }: StoredPlane, square: Square, into: Float64Array) {
  const { left, top, wide } = square;
  for (let y = 0; y < wide; y++) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < wide; x++) into[y * wide + x] = luma[line + Math.min(left + x, width - 1)]!;
  }
}

const outputs = new Float64Array(side);

/** Of the eight pixels from each pixel to the right; one plane of `reach` columns for each frequency. */
function transformRows(pixels: Float64Array, reach: number, across: Float64Array): void {
  const wide = reach + margin;
  for (let y = 0; y < wide; y++) {
    for (let x = 0; x < reach; x++) {
      transformEight(pixels, y * wide + x, 1, outputs);
      for (let u = 0, to = y * reach + x; u < side; u++, to += wide * reach)
        across[to] = outputs[u]!;
    }
  }
}

/** The outputs of `transformEight` are too large; instead of dividing each, the limit for zero is multiplied. */
const limitsOf = Array.from({ length: side }, (_, u) => limitsAt(u));

function limitsAt(u: number) {
  const at = (v: number) => zeroBelow * excess[u]! * excess[v]!;
  return [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)] as const;
}

/** @param columns - a plane of `reach` columns: what the rows hold of one horizontal frequency. */
function addZeros(
  columns: Float64Array,
  reach: number,
  limits: ReturnType<typeof limitsAt>,
  counts: Uint8Array,
): void {
  const [l0, l1, l2, l3, l4, l5, l6, l7] = limits;
  for (let at = 0; at < counts.length; at++) {
    transformEight(columns, at, reach, outputs);
    // Written out, and added up as numbers: branches that nothing foretells would take most of the time.
    counts[at]! +=
      isBelow(outputs[0]!, l0) +
      isBelow(outputs[1]!, l1) +
      isBelow(outputs[2]!, l2) +
      isBelow(outputs[3]!, l3) +
      isBelow(outputs[4]!, l4) +
      isBelow(outputs[5]!, l5) +
      isBelow(outputs[6]!, l6) +
      isBelow(outputs[7]!, l7);
  }
}

function isBelow(value: number, limit: number): number {
  return Number(Math.abs(value) < limit);
}

/**
 * Sets the count to 0 where all rows or all columns of a block are alike. Its coefficients that change the other way
 * are all zero then, so only blocks of so many are looked at.
 */
function dropStriped(pixels: Float64Array, reach: number, counts: Uint8Array): void {
  const wide = reach + margin;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! < side * margin) continue;
    const start = Math.floor(at / reach) * wide + (at % reach);
    if (isRepeated(pixels, start, wide, 1) || isRepeated(pixels, start, 1, wide)) counts[at] = 0;
  }
}

/** True when the eight numbers `along` apart that begin at `start` come again, seven times, every `apart`. */
function isRepeated(pixels: Float64Array, start: number, apart: number, along: number): boolean {
  for (let i = 0; i < side; i++) {
    const first = start + i * along;
    for (let at = first + apart; at < first + side * apart; at += apart) {
      if (pixels[at] !== pixels[first]) return false;
    }
  }
  return true;
}
