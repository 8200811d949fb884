/** Where the two places of a pair lie in the whole picture. */

import type { PlaceMap } from '../finding.ts';
import type { Size } from '../places.ts';
import { inverseOf, moved } from './affine.ts';
import { extentOf } from './extent.ts';
import type { Look, Pair } from './look.ts';
import { gridPx } from './match-field.ts';

/** Pixels of the picture; smaller cells would say more than a match can. */
const leastCellPx = 4;
/** Where in a cell, as shares of its side, it is asked what it belongs to. It belongs to what most of these lie in. */
const asked = [1 / 6, 3 / 6, 5 / 6] as const;
const mostOfAsked = (asked.length * asked.length) / 2;

/** Both places of a pair, each alone; which of them is the copy cannot be told. */
export interface Marks {
  readonly here: PlaceMap;
  readonly there: PlaceMap;
}

/** A map that says the same of every place, in cells that hold a cell of the match field at least. */
export function evenMap({ working }: Look, { width, height }: Size, value: number): PlaceMap {
  const cellPx = Math.max(leastCellPx, Math.ceil(gridPx * working.scale));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  return { cellPx, columns, rows, values: new Float32Array(columns * rows).fill(value) };
}

interface Judged {
  readonly look: Look;
  readonly pair: Pair;
  /** Of the picture, in pixels. */
  readonly size: Size;
  /** That the pair is one of a copy: stands in the cells of both places, nothing in all others. */
  readonly probability: number;
}

export function markPair({ look, pair, size, probability }: Judged): Marks {
  const { columns, working } = look;
  const cells = extentOf(pair.region, working, columns);
  const isInside = insideOf(cells, columns);
  const box = boxOf(cells, columns);
  const { affine } = pair.region;
  // Asked from there back, so that a copy has no holes however much larger it is.
  const back = inverseOf(affine);
  const mark = (corners: readonly Point[], isMarked: IsInside) => {
    const map = evenMap(look, size, 0);
    const asking = { ...map, scale: working.scale, isMarked, probability };
    for (const cell of cellsAround(corners, asking)) map.values[cell] = valueOf(cell, asking);
    return map;
  };
  return {
    here: mark(box, isInside),
    there: mark(
      box.map(([x, y]) => moved(affine, x, y)),
      (x, y) => isInside(...moved(back, x, y)),
    ),
  };
}

type Point = readonly [x: number, y: number];
/** Of a place in pixels of the working picture. */
type IsInside = (x: number, y: number) => boolean;

function insideOf(cells: Int32Array, columns: number): IsInside {
  const inside = new Set(cells);
  const width = columns * gridPx;
  return (x, y) =>
    x >= 0 && x < width && inside.has(Math.floor(y / gridPx) * columns + Math.floor(x / gridPx));
}

/** The corners of the smallest upright box around the cells. */
function boxOf(cells: Int32Array, columns: number): readonly Point[] {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
  for (const cell of cells) {
    const [x, y] = [(cell % columns) * gridPx, Math.floor(cell / columns) * gridPx];
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + gridPx);
    bottom = Math.max(bottom, y + gridPx);
  }
  return [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ];
}

interface Asking extends PlaceMap {
  /** Pixels of the picture for one of the working picture. */
  readonly scale: number;
  readonly isMarked: IsInside;
  readonly probability: number;
}

/** Every cell of the map that may touch what lies between the corners. */
function* cellsAround(corners: readonly Point[], { scale, cellPx, columns, rows }: Asking) {
  const [x, y] = [0, 1].map((axis) => corners.map((corner) => (corner[axis]! * scale) / cellPx));
  const [left, right] = [Math.floor(Math.min(...x!)), Math.floor(Math.max(...x!))];
  const [top, bottom] = [Math.floor(Math.min(...y!)), Math.floor(Math.max(...y!))];
  for (let row = held(top, rows); row <= held(bottom, rows); row++) {
    for (let column = held(left, columns); column <= held(right, columns); column++) {
      yield row * columns + column;
    }
  }
}

/** The nearest of the first `count` whole numbers. */
function held(at: number, count: number): number {
  return Math.min(count - 1, Math.max(0, at));
}

function valueOf(cell: number, { cellPx, columns, scale, isMarked, probability }: Asking): number {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  let marked = 0;
  for (const down of asked) {
    for (const along of asked) {
      const x = ((column + along) * cellPx) / scale;
      const y = ((row + down) * cellPx) / scale;
      if (isMarked(x, y)) marked++;
    }
  }
  return marked > mostOfAsked ? probability : 0;
}

/** Of each place the highest that any map says, and `ground` at least. */
export function mergeMaps(maps: readonly PlaceMap[], ground: PlaceMap): PlaceMap {
  const values = ground.values.slice();
  for (const map of maps) {
    for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at]!, map.values[at]!);
  }
  return { ...ground, values };
}
