/** Finds the words of a page: dark shapes on lighter paper, of the size of letters, that stand side by side. */

import type { LumaPlane, PixelBox } from '../../image/pixels.ts';
import { boxMean } from '../blocks.ts';
import { groupsFrom } from '../regions.ts';

export interface Letter extends PixelBox {
  /** Pixels of ink. */
  readonly area: number;
}

/** A word; a long one is cut between letters, so that all are of similar size. */
export interface Word extends PixelBox {
  /** The same for all parts of a word. */
  readonly whole: number;
  /** From left to right. */
  readonly letters: readonly Letter[];
  /** Medians over the letters: height and lower edge, in pixels. */
  readonly letterHeight: number;
  readonly baseline: number;
}

export interface Page extends LumaPlane {
  /** For each pixel, 0 on paper, and the number of its shape on ink. */
  readonly shapes: Int32Array;
  /** For each shape, the index of its word; -1 if it belongs to none. */
  readonly wordOfShape: Int32Array;
  readonly words: readonly Word[];
}

/** Ink is darker than the mean of its surroundings by more than this many grey levels. */
const minContrast = 18;
const surroundingsPx = 16;
/** Limits the time; what has more words is a pattern. */
const maxWords = 1600;

export function findWords({ luma, width, height }: LumaPlane): Page {
  const means = boxMean(Float32Array.from(luma), width, surroundingsPx);
  const ink = means.map((mean, at) => (Math.round(mean) - luma[at]! > minContrast ? 1 : 0));
  const shapes = new Int32Array(luma.length);
  const boxes: Shape[] = [{ left: 0, top: 0, width: 0, height: 0, area: 0, number: 0 }];
  for (const cells of groupsFrom({ columns: width, rows: height, values: ink }, 1, {
    isDiagonal: true,
  })) {
    for (const cell of cells) shapes[cell] = boxes.length;
    boxes.push(boundShape(cells, width, boxes.length));
  }
  const letters = boxes.filter((box) => isLetter(box, width, height));
  const wordOfShape = new Int32Array(boxes.length).fill(-1);
  const words: Word[] = [];
  for (const [whole, members] of joinLetters(letters).entries()) {
    for (const part of cutWord(members)) {
      if (words.length === maxWords) break;
      for (const { number } of part) wordOfShape[number] = words.length;
      words.push({ ...boundWord(part), whole });
    }
  }
  return { luma, width, height, shapes, wordOfShape, words };
}

interface Shape extends Letter {
  readonly number: number;
}

function boundShape(cells: Int32Array, columns: number, number: number): Shape {
  let [left, right, top, bottom] = [columns, 0, cells[0]!, 0];
  for (const cell of cells) {
    const x = cell % columns;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, cell);
    bottom = Math.max(bottom, cell);
  }
  const [first, last] = [Math.floor(top / columns), Math.floor(bottom / columns)];
  return {
    left,
    top: first,
    width: right - left + 1,
    height: last - first + 1,
    area: cells.length,
    number,
  };
}

function isLetter(
  { left, top, width, height, area }: Shape,
  pageWidth: number,
  pageHeight: number,
) {
  const isInside =
    left > 1 && top > 1 && left + width < pageWidth - 1 && top + height < pageHeight - 1;
  const hasSize = height >= 5 && height <= 90 && width >= 2 && width <= 16 * height && area >= 8;
  return isInside && hasSize && area < 0.92 * width * height + 12;
}

/** Groups letters in a row; the groups in the order of their first letters, each from left to right. */
function joinLetters(letters: readonly Shape[]): readonly (readonly Shape[])[] {
  const sorted = letters.toSorted(
    (one, other) => one.left - other.left || one.number - other.number,
  );
  const parents = Int32Array.from(sorted, (_, at) => at);
  const findRoot = (at: number) => {
    let root = at;
    while (parents[root] !== root) root = parents[root] = parents[parents[root]!]!;
    return root;
  };
  for (const [at, one] of sorted.entries()) {
    const reach = one.left + one.width + 0.55 * one.height + 2;
    for (let next = at + 1; next < sorted.length && sorted[next]!.left <= reach; next++) {
      if (areNeighbours(one, sorted[next]!)) parents[findRoot(next)] = findRoot(at);
    }
  }
  const groups = Map.groupBy(sorted, (_, at) => findRoot(at));
  return [...groups].toSorted(([one], [other]) => one - other).map(([, members]) => members);
}

function areNeighbours(one: Shape, other: Shape): boolean {
  const overlap =
    Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  const [lower, higher] = [Math.min(one.height, other.height), Math.max(one.height, other.height)];
  const gap = other.left - one.left - one.width;
  return overlap >= 0.5 * lower && higher <= 2.6 * lower && gap <= 0.55 * lower + 1;
}

/** Width of a part, in heights of a letter. */
const partWidth = 3.2;

/** Empty if the letters are too small for a word. */
function cutWord(letters: readonly Shape[]): readonly (readonly Shape[])[] {
  const { left } = letters[0]!;
  const width = Math.max(...letters.map((it) => it.left + it.width)) - left;
  const height = upperMedian(letters.map((it) => it.height));
  if (height < 6 || width < 0.35 * height) return [];
  const size = width / Math.max(1, Math.floor(width / (partWidth * height) + 0.5));
  const parts: Shape[][] = [[]];
  let end = 1;
  for (const letter of letters) {
    const middle = letter.left + letter.width / 2;
    if (parts.at(-1)!.length > 0 && middle > left + end * size) {
      parts.push([]);
      while (middle > left + end * size) end++;
    }
    parts.at(-1)!.push(letter);
  }
  return parts;
}

function boundWord(letters: readonly Shape[]): Omit<Word, 'whole'> {
  const left = Math.min(...letters.map((it) => it.left));
  const top = Math.min(...letters.map((it) => it.top));
  return {
    left,
    top,
    width: Math.max(...letters.map((it) => it.left + it.width)) - left,
    height: Math.max(...letters.map((it) => it.top + it.height)) - top,
    letters,
    letterHeight: upperMedian(letters.map((it) => it.height)),
    baseline: upperMedian(letters.map((it) => it.top + it.height)),
  };
}

/** The upper of the two middle values if their number is even. */
function upperMedian(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
