/**
 * The inner loop of the match field in WebAssembly: sixteen 16-bit differences in four instructions. It uses integers
 * only, so the result equals that of the same loop in JavaScript.
 */

import {
  block,
  branch,
  branchIf,
  type Code,
  get,
  i32,
  instantiate,
  loop,
  pageBytes,
  set,
  v128,
} from './assembler.ts';
import { columnMask, descriptorLength, reachPx, rowBits } from './descriptors.ts';

export interface MatchKernel {
  /** For each cell its match, -1 if none yet, and the squared distance between the two descriptors. */
  readonly matches: Int32Array;
  /** Input of `offer`: pixels as `row << rowBits | column`, or offsets from the current match. */
  readonly offered: Int32Array;
  /**
   * Keeps the most similar candidate as the cell's match if it beats the current one.
   *
   * @param pixel - index of the cell's first pixel, which is (x, y).
   * @param mask - 0: candidates are pixels; -1: candidates are offsets from the match at the time each is tried.
   * @returns the match.
   */
  readonly offer: (
    cell: number,
    pixel: number,
    x: number,
    y: number,
    count: number,
    mask: 0 | -1,
  ) => number;
}

interface Field {
  readonly width: number;
  readonly height: number;
  readonly descriptors: Int16Array;
  readonly cells: number;
  /** Pixels closer than this do not count as matches. */
  readonly minPx: number;
}

/** Memory layout in bytes: the numbers below, the candidates, the descriptors, the matches. */
const widthAt = 0;
const innerWidthAt = 4;
const innerHeightAt = 8;
const minSquaredAt = 12;
const matchesAt = 16;
const offeredAt = 64;
const descriptorsAt = 256;
const descriptorBytes = 2 * descriptorLength;
const matchBytes = 8;
/** Shift that turns an index into a byte offset. */
const descriptorShift = Math.log2(descriptorBytes);
const matchShift = Math.log2(matchBytes);

/** Reused between pictures, with at most 16 MB of memory. Handles one picture at a time. */
let kept: ReturnType<typeof instantiate> | null = null;

/**
 * Allocates zeroed space in the kernel's memory for the descriptors of `pixels` pixels. Invalidates the space of the
 * previous picture.
 */
export function allocateDescriptors(pixels: number): Int16Array {
  kept ??= instantiate({ parameters: 6, numbers: 9, vectors: 4, body });
  const { memory } = kept;
  const missing =
    descriptorsAt + pixels * (descriptorBytes + matchBytes) - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return new Int16Array(memory.buffer, descriptorsAt, pixels * descriptorLength).fill(0);
}

/** @param descriptors - in the space returned by `allocateDescriptors`. */
export function openMatchKernel({ width, height, descriptors, cells, minPx }: Field): MatchKernel {
  if (kept?.memory.buffer !== descriptors.buffer) throw new RangeError('They lie elsewhere.');
  const { memory, run } = kept;
  const { buffer } = memory;
  const start = descriptorsAt + descriptors.byteLength;
  const numbers = new Int32Array(buffer, 0, offeredAt / 4);
  numbers[widthAt / 4] = width;
  numbers[innerWidthAt / 4] = width - 2 * reachPx;
  numbers[innerHeightAt / 4] = height - 2 * reachPx;
  numbers[minSquaredAt / 4] = Math.ceil(minPx * minPx);
  numbers[matchesAt / 4] = start;
  const matches = new Int32Array(buffer, start, 2 * cells);
  for (let at = 0; at < matches.length; at += 2) {
    matches[at] = -1;
    matches[at + 1] = 0x7fffffff;
  }
  return { matches, offered: new Int32Array(buffer, offeredAt, 16), offer: run };
}

const [match, least, entry, next, end, other, otherX, otherY, sum] = [
  6, 7, 8, 9, 10, 11, 12, 13, 14,
] as const;
const [low, high, difference, sums] = [15, 16, 17, 18] as const;

const [cell, pixel, x, y, count, mask] = [get(0), get(1), get(2), get(3), get(4), get(5)] as const;

const numberAt = (address: number): Code => i32.load(address, i32.const(0));
const square = (value: Code): Code => i32.mul(value, value);

/** Squared differences between half a descriptor and the other's, added in pairs. */
const squaredDifferences = (half: number, offset: number): Code => [
  ...set(difference, v128.sub16(get(half), v128.load(descriptorsAt + offset, get(other)))),
  ...v128.dot16(get(difference), get(difference)),
];

const body: Code = [
  set(entry, i32.add(numberAt(matchesAt), i32.shiftLeft(cell, i32.const(matchShift)))),
  set(match, i32.load(0, get(entry))),
  set(least, i32.load(4, get(entry))),
  set(other, i32.shiftLeft(pixel, i32.const(descriptorShift))),
  set(low, v128.load(descriptorsAt, get(other))),
  set(high, v128.load(descriptorsAt + descriptorBytes / 2, get(other))),
  set(end, i32.shiftLeft(count, i32.const(2))),
  block(
    loop(
      branchIf(i32.isAtLeast(get(next), get(end)), 1),
      block(
        set(other, i32.add(i32.load(offeredAt, get(next)), i32.and(get(match), mask))),
        branchIf(i32.eq(get(other), get(match)), 0),
        set(otherX, i32.and(get(other), i32.const(columnMask))),
        set(otherY, i32.shiftRight(get(other), i32.const(rowBits))),
        // Compared as unsigned, a coordinate left of or above the picture is a very large number.
        branchIf(
          i32.or(
            i32.isAtLeastUnsigned(i32.sub(get(otherX), i32.const(reachPx)), numberAt(innerWidthAt)),
            i32.isAtLeastUnsigned(
              i32.sub(get(otherY), i32.const(reachPx)),
              numberAt(innerHeightAt),
            ),
          ),
          0,
        ),
        branchIf(
          i32.isLess(
            i32.add(square(i32.sub(get(otherX), x)), square(i32.sub(get(otherY), y))),
            numberAt(minSquaredAt),
          ),
          0,
        ),
        set(
          other,
          i32.shiftLeft(
            i32.add(i32.mul(get(otherY), numberAt(widthAt)), get(otherX)),
            i32.const(descriptorShift),
          ),
        ),
        set(
          sums,
          v128.add32(squaredDifferences(low, 0), squaredDifferences(high, descriptorBytes / 2)),
        ),
        set(sums, v128.add32(get(sums), v128.order32([2, 3, 0, 1], get(sums)))),
        set(sums, v128.add32(get(sums), v128.order32([1, 0, 3, 2], get(sums)))),
        set(sum, v128.first32(get(sums))),
        branchIf(i32.isAtLeast(get(sum), get(least)), 0),
        set(least, get(sum)),
        set(match, i32.or(i32.shiftLeft(get(otherY), i32.const(rowBits)), get(otherX))),
      ),
      set(next, i32.add(get(next), i32.const(4))),
      branch(0),
    ),
  ),
  i32.store(0, get(entry), get(match)),
  i32.store(4, get(entry), get(least)),
  get(match),
].flat();
