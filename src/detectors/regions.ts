/** Finds regions in a map of the upright picture and describes where they are. */

import type { PixelBox, Size } from '../image/pixels.ts';

export type { Size };

/** Cells of `cellPx` by `cellPx` pixels of the upright picture; the last column and row may extend past the edge. */
export interface CellGrid {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
}

/** Where a method points: one value, 0..1, for each cell, row-major from the upper left corner. 0.5 is neutral. */
export interface CellMap extends CellGrid {
  readonly values: Float32Array;
}

/** With its bounding box, in pixels of the upright picture. */
export interface Region extends PixelBox {
  /** Share, 0..1, of the picture that the region itself covers; its bounding box may cover more. */
  readonly share: number;
}

/** The nine parts of the picture in a 3 by 3 division, in row-major order. */
const ninths = [
  'upper_left',
  'top',
  'upper_right',
  'left',
  'middle',
  'right',
  'lower_left',
  'bottom',
  'lower_right',
] as const;
/** Places of boxes that span the whole width, by the third of the height in which they lie; `along` is the reverse. */
const across = ['across_top', 'across_middle', 'across_bottom'] as const;
const along = ['along_left', 'along_middle', 'along_right'] as const;
export type AreaPlace =
  | 'almost_everywhere'
  | (typeof across)[number]
  | (typeof along)[number]
  | (typeof ninths)[number];

/** How a statement describes a region. */
export interface Area {
  readonly place: AreaPlace;
  /** Share of the picture, 0..1. */
  readonly share: number;
}

export function areaOf(region: Region, size: Size): Area {
  return { place: placeOf(region, size), share: region.share };
}

/** A box that covers at least this share of a side counts as spanning it. */
const spanningFrom = 0.8;

export function placeOf(region: Region, { width, height }: Size): AreaPlace {
  const isWide = region.width >= spanningFrom * width;
  const isHigh = region.height >= spanningFrom * height;
  const column = thirdAt(region.left + region.width / 2, width);
  const row = thirdAt(region.top + region.height / 2, height);
  if (isWide && isHigh) return 'almost_everywhere';
  if (isWide) return across[row]!;
  if (isHigh) return along[column]!;
  return ninths[3 * row + column]!;
}

/** The third of a side that contains `at`: 0, 1 or 2. */
function thirdAt(at: number, length: number): number {
  return Math.min(2, Math.max(0, Math.floor((3 * at) / length)));
}

/** The region as measures, with the names that all methods use. */
export function regionMeasures({ left, top, width, height, share }: Region) {
  return {
    regionLeft: left,
    regionTop: top,
    regionWidth: width,
    regionHeight: height,
    regionShare: share,
  };
}

/** Anything larger does not count as a region, because marking so much of the picture locates nothing. */
const maxShareOfPicture = 0.5;

/** As `findRegions`; empty if the largest covers most of the picture. */
export function largestParts(
  map: CellMap,
  from: number,
  size: Size,
  most: number,
): readonly Region[] {
  const regions = findRegions(map, from, size, most);
  return (regions[0]?.share ?? 0) <= maxShareOfPicture ? regions : [];
}

/** As `findRegions`, for the largest; null if no cell reaches `from`. */
export function largestRegion(map: CellMap, from: number, size: Size): Region | null {
  return findRegions(map, from, size, 1)[0] ?? null;
}

/**
 * The `most` largest 4-connected groups of cells with at least `from`; of equally large groups, the first in row-major
 * order comes first.
 *
 * @param size - size of the upright picture: of cells that extend past its edge, only the part inside counts.
 */
function findRegions(map: CellMap, from: number, size: Size, most: number): readonly Region[] {
  const boxes = Array.from(groupsFrom(map, from), (group) => boxAround(group, map, size));
  return boxes
    .toSorted((one, other) => other.area - one.area)
    .slice(0, most)
    .map(({ left, top, right, bottom, area }) => ({
      left,
      top,
      width: right - left,
      height: bottom - top,
      share: area / (size.width * size.height),
    }));
}

type Values = Omit<CellMap, 'cellPx'>;

/**
 * The cells of each group of neighbours with at least `from`, in order of the groups' first cells; valid until the next
 * group is requested. @param isDiagonal - whether cells that touch only at a corner are neighbours.
 */
export function* groupsFrom(
  map: Values,
  from: number,
  { isDiagonal = false } = {},
): Generator<Int32Array> {
  const cells = map.columns * map.rows;
  const [seen, waiting] = [new Uint8Array(cells), new Int32Array(cells)];
  for (let start = 0; start < cells; start++) {
    if (seen[start] === 1 || !(map.values[start]! >= from)) continue;
    yield growFrom({ map, from, isDiagonal, seen, waiting, start });
  }
}

interface Growth {
  readonly map: Values;
  readonly from: number;
  readonly isDiagonal: boolean;
  /** 1 for each cell that already belongs to a group. */
  readonly seen: Uint8Array;
  /** Queue of cells in the order in which they are visited, with room for every cell. */
  readonly waiting: Int32Array;
  readonly start: number;
}

/** The group that contains `start`; its cells remain in `waiting` until the next call. */
function growFrom({ map, from, isDiagonal, seen, waiting, start }: Growth): Int32Array {
  const { columns, rows, values } = map;
  let count = 0;
  const reach = (cell: number) => {
    if (seen[cell] === 1 || !(values[cell]! >= from)) return;
    seen[cell] = 1;
    waiting[count++] = cell;
  };
  const reachAcross = (cell: number, column: number) => {
    if (column > 0) reach(cell - 1);
    if (column < columns - 1) reach(cell + 1);
  };
  reach(start);
  for (let next = 0; next < count; next++) {
    const cell = waiting[next]!;
    const column = cell % columns;
    reachAcross(cell, column);
    for (const line of [cell - columns, cell + columns]) {
      if (line < 0 || line >= columns * rows) continue;
      reach(line);
      if (isDiagonal) reachAcross(line, column);
    }
  }
  return waiting.subarray(0, count);
}

/**
 * The bounding box and, as `area`, the cells inside the picture. In whole pixels, because groups are compared by area. When they were compared by their share of the picture instead,
 * V8 13.6 once compiled the loop so that every group got the share of the last, and the first one seemed the largest.
 */
function boxAround(cells: Int32Array, { columns, cellPx }: Omit<CellMap, 'values'>, size: Size) {
  let [left, top, right, bottom, area] = [size.width, size.height, 0, 0, 0];
  for (const cell of cells) {
    const x = (cell % columns) * cellPx;
    const y = Math.floor(cell / columns) * cellPx;
    const [endX, endY] = [Math.min(x + cellPx, size.width), Math.min(y + cellPx, size.height)];
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, endX);
    bottom = Math.max(bottom, endY);
    area += (endX - x) * (endY - y);
  }
  return { left, top, right, bottom, area };
}
