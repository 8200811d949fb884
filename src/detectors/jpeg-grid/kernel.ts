/**
 * The zeros of all blocks of a square, four blocks at a time: a tenth of the time that JavaScript takes for one after the
 * other. In numbers of 32 bits, one coefficient in 100,000 falls on the other side of the limit than in 64.
 */

import { excess } from '../dct.ts';
import {
  add,
  type Code,
  compile,
  eachFour,
  type Four,
  isLess,
  load,
  loadConstant,
  localFour,
  magnitude,
  multiply,
  store,
  subtract,
  subtractWhole,
  zeros,
} from './wasm.ts';

const side = 8;
const numberBytes = 4;

export interface Kernel {
  /** Rows of `wide` pixels, to be filled in. */
  readonly pixels: Float32Array;
  /** Of the block that begins at each pixel, after `run`; the last seven of each row mean nothing. */
  readonly counts: Int32Array;
  readonly run: () => void;
}

/** A coefficient of the orthonormal transform counts as zero up to this. @see ZERO (IPOL 2021), section 2. */
const zeroUpTo = 0.5;

/** By `wide`: made and compiled once, as code becomes faster the longer it runs. */
const kernels = new Map<number, Kernel>();

/** The kernel for squares of `wide` pixels a side. Everybody is given the same one: what it holds is of the last run. */
export function kernelFor(wide: number): Kernel {
  const known = kernels.get(wide);
  if (known !== undefined) return known;
  const kernel = createKernel(layoutOf(wide));
  kernels.set(wide, kernel);
  return kernel;
}

function createKernel(layout: Layout): Kernel {
  const { wide, endBytes } = layout;
  const { buffer, run } = compile(bodyOf(layout), locals, endBytes);
  const constants = new Float32Array(buffer, 0, side * side + multipliers.length);
  constants.set(limits());
  constants.set(multipliers, side * side);
  const pixels = new Float32Array(buffer, layout.pixels, wide * wide);
  const counts = new Int32Array(buffer, layout.counts, wide * (wide - side + 1));
  return { pixels, counts, run };
}

/**
 * The outputs of the transform are too large; instead of dividing each, the limit is multiplied. Many coefficients lie
 * exactly on it (those of frequencies 0 and 4 are whole eighths): a little more, so that they count in spite of rounding.
 */
function limits(): number[] {
  const limit = zeroUpTo * (1 + 1e-6);
  return Array.from(excess, (ofU) => Array.from(excess, (ofV) => limit * ofU * ofV)).flat();
}

const cosine = (sixteenths: number) => Math.cos((sixteenths * Math.PI) / 16);
const multipliers = [cosine(4), cosine(6), cosine(2) - cosine(6), cosine(2) + cosine(6)];
const multiplier = (at: number) => loadConstant(numberBytes * (side * side + at));
const [c4, c6, c2MinusC6, c2PlusC6] = [multiplier(0), multiplier(1), multiplier(2), multiplier(3)];

/** Addresses in bytes. The loops take four numbers each, so the last ones reach a little beyond. */
function layoutOf(wide: number) {
  const planeBytes = numberBytes * (wide * (wide + side) + 4);
  const pixels = numberBytes * (side * side + multipliers.length);
  const across = pixels + planeBytes;
  const counts = across + side * planeBytes;
  return { wide, planeBytes, pixels, across, counts, endBytes: counts + planeBytes };
}

type Layout = ReturnType<typeof layoutOf>;

/** First along the rows, a plane of numbers for each frequency; then down the columns of each plane. */
function bodyOf({ wide, planeBytes, pixels, across, counts }: Layout): Code {
  const rowBytes = numberBytes * wide;
  const planeOf = (u: number) => across + u * planeBytes;
  const alongRows = transformEight(pixels, numberBytes);
  const toPlanes = alongRows.outputs.flatMap((output, u) => store(planeOf(u), output));
  const downColumns = Array.from({ length: side }, (_, u) => countZeros(planeOf(u), rowBytes, u));
  return [
    ...eachFour(wide * rowBytes, [...alongRows.prepare, ...toPlanes]),
    ...eachFour((wide - side + 1) * rowBytes, [
      ...count.set(zeros),
      ...downColumns.flat(),
      ...store(counts, count.get),
    ]),
  ];
}

/** Adds to `count` those of one plane, of horizontal frequency `u`. */
function countZeros(plane: number, rowBytes: number, u: number): Code {
  const { prepare, outputs } = transformEight(plane, rowBytes);
  const counted = outputs.flatMap((output, v) => {
    const limit = loadConstant(numberBytes * (side * u + v));
    return count.set(subtractWhole(count.get, isLess(magnitude(output), limit)));
  });
  return [...prepare, ...counted];
}

const count = localFour(0);
const values = Array.from({ length: side }, (_, at) => localFour(1 + at));
const steps = Array.from({ length: 13 }, (_, at) => localFour(1 + side + at));
const locals = 1 + values.length + steps.length;

/**
 * The steps of `transformEight` in dct.ts, on numbers `stepBytes` apart from `address` and the loop's place on.
 *
 * @returns instructions to run first, and for each frequency those that leave its four outputs.
 */
function transformEight(address: number, stepBytes: number) {
  const prepare: number[] = [];
  const kept = (local: Four, value: Code): Code => {
    prepare.push(...local.set(value));
    return local.get;
  };
  const value = (at: number) => kept(values[at]!, load(address + at * stepBytes));
  let next = 0;
  const step = (result: Code) => kept(steps[next++]!, result);

  const [v0, v1, v2, v3] = [value(0), value(1), value(2), value(3)];
  const [v4, v5, v6, v7] = [value(4), value(5), value(6), value(7)];
  const d0 = step(subtract(v0, v7));
  const d1 = step(subtract(v1, v6));
  const d2 = step(subtract(v2, v5));
  const s0 = step(add(v0, v7));
  const s1 = step(add(v1, v6));
  const s2 = step(add(v2, v5));
  const s3 = step(add(v3, v4));
  const edge = step(subtract(s0, s3));
  const turned = step(multiply(add(subtract(s1, s2), edge), c4));
  const inner = step(add(subtract(v3, v4), d2));
  const outer = step(add(d1, d0));
  const shared = step(multiply(subtract(inner, outer), c6));
  const middle = step(multiply(add(d2, d1), c4));
  const [low, high] = [add(s0, s3), add(s1, s2)];
  const near = add(multiply(c2MinusC6, inner), shared);
  const far = add(multiply(c2PlusC6, outer), shared);
  const outputs = [
    add(low, high),
    add(add(d0, middle), far),
    add(edge, turned),
    subtract(subtract(d0, middle), near),
    subtract(low, high),
    add(subtract(d0, middle), near),
    subtract(edge, turned),
    subtract(add(d0, middle), far),
  ];
  return { prepare, outputs };
}
