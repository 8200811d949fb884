/** Which of the 64 possible block grids each pixel speaks for: the one whose block around it holds most zeros. */

import type { StoredPlane } from '../stored.ts';
import { createZeroCounter } from './zero-counts.ts';

const period = 8;
const overhang = period - 1;
/** Side of the squares of pixels that vote. */
export const tilePx = 64;

/** One core casts some four million votes a second. */
const mostVotes = 2_000_000;

/** Of a pixel whose best two blocks tie, or that lies outside the picture. */
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
export function castVotes(plane: StoredPlane, most: number = mostVotes): Votes {
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
