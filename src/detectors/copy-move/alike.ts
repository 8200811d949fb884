/** Pixels sorted by a rough key made of their descriptors: like surroundings mostly share it. */

import { descriptorLength, reachPx, type Surroundings } from './descriptors.ts';

/** A pixel as one number, so that no division parts it: its row above these bits. */
export const rowBits = 16;
export const columnMask = 0xffff;
/** Grey levels, deviation: below this anything matches anything. */
export const leastSpread = 1.5;

/** Slots of the descriptor that say most and repeat each other least, and into how many equal parts each is split. */
const digits = [
  { slot: 3, parts: 8 },
  { slot: 10, parts: 8 },
  { slot: 6, parts: 8 },
  { slot: 11, parts: 8 },
  { slot: 4, parts: 4 },
  { slot: 12, parts: 4 },
] as const;
const keyCount = digits.reduce((product, { parts }) => product * parts, 1);
/** Every so many pixels tell how the values of a slot are spread. */
const sampledEvery = 61;

export interface Sorted {
  /** Of each pixel; -1 where nothing is to see. */
  readonly keys: Int32Array;
  /** Where the members of each key begin; one more than there are keys. */
  readonly starts: Int32Array;
  /** Pixels as `row << rowBits | column`. */
  readonly members: Int32Array;
}

export function sortByKey(parts: Surroundings & { width: number; height: number }): Sorted {
  const { descriptors, spread, width, height } = parts;
  const tables = digits.map(({ slot, parts: count }) => partsOf(parts, slot, count));
  const keys = new Int32Array(width * height).fill(-1);
  const counts = new Int32Array(keyCount + 1);
  for (let y = reachPx; y < height - reachPx; y++) {
    for (let at = y * width + reachPx; at < (y + 1) * width - reachPx; at++) {
      if (spread[at]! < leastSpread) continue;
      let key = 0;
      for (let n = 0; n < digits.length; n++) {
        const value = descriptors[at * descriptorLength + digits[n]!.slot]!;
        key = key * digits[n]!.parts + tables[n]![value + tableMiddle]!;
      }
      keys[at] = key;
      counts[key + 1]!++;
    }
  }
  for (let key = 0; key < keyCount; key++) counts[key + 1]! += counts[key]!;
  return { keys, starts: counts, members: gather(keys, counts, width) };
}

/** Sorts by counting. */
function gather(keys: Int32Array, starts: Int32Array, width: number): Int32Array {
  const next = starts.slice();
  const members = new Int32Array(starts[keyCount]!);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key < 0) continue;
    const x = at % width;
    members[next[key]!++] = (((at - x) / width) << rowBits) | x;
  }
  return members;
}

const tableMiddle = 0x8000;

/** For each value of a slot, from the least that an Int16 holds on, in which of the equally frequent parts it lies. */
function partsOf({ descriptors, spread }: Surroundings, slot: number, parts: number): Uint8Array {
  const sampled: number[] = [];
  for (let at = 0; at < spread.length; at += sampledEvery) {
    if (spread[at]! >= leastSpread) sampled.push(descriptors[at * descriptorLength + slot]!);
  }
  const sorted = Int16Array.from(sampled).toSorted();
  const table = new Uint8Array(2 * tableMiddle);
  for (let part = 1; part < parts; part++) {
    const edge = sorted[Math.floor((part * sorted.length) / parts)] ?? 0;
    table.fill(part, edge + tableMiddle);
  }
  return table;
}
