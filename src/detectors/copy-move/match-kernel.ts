/** The inner loop of the match field in WebAssembly: sixteen 16-bit differences at once, with JavaScript's results. */

import type { Size } from '../../image/pixels.ts';
import { descriptorLength, reachPx } from './descriptors.ts';

export interface MatchKernel {
  /** Two numbers per cell: its match (-1 if there is none yet) and the squared distance between the descriptors. */
  readonly matches: Int32Array;
  /** Input of `offer`: pixels as `row << rowBits | column`, or offsets from the current match. */
  readonly offered: Int32Array;
  /**
   * Makes the most similar candidate the cell's match if it is more similar than the current match.
   *
   * @param pixel - index of the cell's first pixel, which is at (x, y).
   * @param mask - 0: candidates are pixels; -1: candidates are offsets from the match that the cell has at that moment.
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

interface Field extends Size {
  readonly descriptors: Int16Array;
  readonly cells: number;
  /** Pixels closer than this do not count as matches. */
  readonly minPx: number;
}

/** Memory layout in bytes, as in match-kernel.wat: the numbers below, the candidates, the descriptors, the matches. */
const widthAt = 0;
const innerWidthAt = 4;
const innerHeightAt = 8;
const minSquaredAt = 12;
const matchesAt = 16;
const offeredAt = 64;
const descriptorsAt = 256;
const descriptorBytes = 2 * descriptorLength;
const matchBytes = 8;

/** Kept between pictures, with at most 16 MB of memory. Handles one picture at a time. */
let kept: ReturnType<typeof instantiate> | null = null;

/** Zeroed space in the kernel's memory for descriptors; that of the previous picture must no longer be used. */
export function allocateDescriptors(pixels: number): Int16Array {
  kept ??= instantiate();
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

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Provided by Node.js, but missing from the ECMAScript types. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly room: { readonly memory: Memory } },
  ) => { readonly exports: { readonly run: MatchKernel['offer'] } };
};

const pageBytes = 65_536;

/** Instantiates the loop with its own memory, initially one page. */
function instantiate() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(Buffer.from(code, 'base64'));
  return { memory, run: new WebAssembly.Instance(module, { room: { memory } }).exports.run };
}

/** The compiled file match-kernel.wat, which is next to this one. */
const code = `
  AGFzbQEAAAABCwFgBn9/f39/fwF/AhABBHJvb20GbWVtb3J5AgABAwIBAAcHAQNydW4AAAreAgHbAgIJfwR7QQAoAhAgAEED
  dGohCCAIKAIAIQYgCCgCBCEHIAFBBXQhCyAL/QAEgAIhDyAL/QAEkAIhECAEQQJ0IQoCQANAIAkgCk4NAQJAIAkoAkAgBiAF
  cWohCyALIAZGDQAgC0H//wNxIQwgC0EQdSENIAxBCGtBACgCBE8gDUEIa0EAKAIIT3INACAMIAJrIAwgAmtsIA0gA2sgDSAD
  a2xqQQAoAgxIDQAgDUEAKAIAbCAMakEFdCELIA8gC/0ABIAC/ZEBIREgESAR/boBIBAgC/0ABJAC/ZEBIREgESAR/boB/a4B
  IRIgEiASIBL9DQgJCgsMDQ4PAAECAwQFBgf9rgEhEiASIBIgEv0NBAUGBwABAgMMDQ4PCAkKC/2uASESIBL9GwAhDiAOIAdO
  DQAgDiEHIA1BEHQgDHIhBgsgCUEEaiEJDAALCyAIIAY2AgAgCCAHNgIEIAYL
`;
