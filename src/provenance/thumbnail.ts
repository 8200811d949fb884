/**
 * Whether the thumbnail in EXIF shows the picture. Programs that crop or paint often leave the old thumbnail behind, so it
 * may show what the picture looked like before.
 *
 * @see E. Kee and H. Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security (2010).
 */

import { decodePicture } from '../image/decode.ts';
import type { Picture } from '../image/picture.ts';

export interface ThumbnailComparison {
  /** Sides of the thumbnail over sides of the picture, 1 for the same shape; the greater ratio of the two, so 1 or more. */
  readonly shapeRatio: number;
  /** Correlation of the two in a grid of cells, -1..1; null when one of them is too even to tell. */
  readonly correlation: number | null;
}

const limits = { minSidePx: 16, maxSidePx: 1024, maxBytes: 256 * 1024 };
/** Cells a side: as coarse as the smallest thumbnail, so that scaling leaves no difference. */
const side = 16;
/** Standard deviation of the cells in grey levels below which a correlation is chance. */
const leastContrast = 4;

/** Null when the thumbnail cannot be read. */
export async function compareThumbnail(
  picture: Picture,
  thumbnail: Uint8Array,
): Promise<ThumbnailComparison | null> {
  const small = await decodePicture(thumbnail, { limits }).catch(() => null);
  if (small === null) return null;
  const { width, height, orientation } = picture.facts;
  // Cameras turn the thumbnail with the picture or leave it as the sensor stood: either is fine.
  const isTurned = orientation !== 1;
  const shapes = isTurned ? [width / height, height / width] : [width / height];
  const ratioTo = (plane: Plane) =>
    Math.min(...shapes.map((shape) => ratioOf(plane.width / plane.height, shape)));
  // Dark edges may be bars or night: whatever fits the picture better.
  const whole = planeOf(small);
  const bare = withoutBars(whole);
  const plane = ratioTo(whole) <= ratioTo(bare) ? whole : bare;
  const upright = gridOf(planeOf(picture));
  const grids = isTurned ? [upright, ...turnsOf(upright)] : [upright];
  const own = gridOf(plane);
  const known = grids.map((grid) => correlate(own, grid)).filter((value) => value !== null);
  return {
    shapeRatio: ratioTo(plane),
    correlation: known.length === 0 ? null : Math.max(...known),
  };
}

interface Plane {
  readonly luma: Uint8Array;
  readonly stride: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function planeOf({ luma, facts: { width, height } }: Picture): Plane {
  return { luma, stride: width, left: 0, top: 0, width, height };
}

function ratioOf(a: number, b: number): number {
  return a > b ? a / b : b / a;
}

/** Grey levels that a black bar stays below, ringing included. */
const black = 24;
/** A bar takes at most a third on either side. */
const mostBar = 1 / 3;

/** Cameras fill the thumbnail up to 4:3 with black bars. */
function withoutBars(plane: Plane): Plane {
  const { luma, stride, width, height } = plane;
  const rowAt = (y: number) => luma.subarray(y * stride, y * stride + width);
  const columnAt = (x: number) =>
    Uint8Array.from({ length: height }, (_, y) => luma[y * stride + x]!);
  const [top, bottom] = barsOf(height, rowAt);
  const [left, right] = barsOf(width, columnAt);
  return { ...plane, top, left, width: width - left - right, height: height - top - bottom };
}

/** Both or none: a dark edge on one side alone belongs to the picture. */
function barsOf(count: number, lineAt: (i: number) => Uint8Array): readonly [number, number] {
  const most = Math.floor(count * mostBar);
  const isBar = (i: number) => lineAt(i).every((luma) => luma <= black);
  let first = 0;
  while (first < most && isBar(first)) first++;
  let last = 0;
  while (last < most && isBar(count - 1 - last)) last++;
  return Math.abs(first - last) <= 2 ? [first, last] : [0, 0];
}

/** Mean luma of `side` by `side` cells, row-major. */
function gridOf({ luma, stride, left, top, width, height }: Plane): Float64Array {
  const cells = new Float64Array(side * side);
  for (let cell = 0; cell < cells.length; cell++) {
    const [x0, x1] = stretchOf(cell % side, width);
    const [y0, y1] = stretchOf(Math.floor(cell / side), height);
    let sum = 0;
    for (let y = y0; y < y1; y++) {
      const row = (top + y) * stride + left;
      for (let x = x0; x < x1; x++) sum += luma[row + x]!;
    }
    cells[cell] = sum / ((x1 - x0) * (y1 - y0));
  }
  return cells;
}

/** From where to where the cell lies among `length` pixels; at least one pixel. */
function stretchOf(cell: number, length: number): readonly [number, number] {
  const start = Math.floor((cell * length) / side);
  return [start, Math.max(start + 1, Math.floor(((cell + 1) * length) / side))];
}

/** The other seven ways to turn and mirror a square. */
function turnsOf(grid: Float64Array): readonly Float64Array[] {
  const last = side - 1;
  const sources: readonly ((x: number, y: number) => readonly [number, number])[] = [
    (x, y) => [last - x, y],
    (x, y) => [last - x, last - y],
    (x, y) => [x, last - y],
    (x, y) => [y, x],
    (x, y) => [y, last - x],
    (x, y) => [last - y, last - x],
    (x, y) => [last - y, x],
  ];
  return sources.map((source) =>
    grid.map((_, cell) => {
      const [x, y] = source(cell % side, Math.floor(cell / side));
      return grid[y * side + x]!;
    }),
  );
}

/** Pearson's correlation; null when one side is too even. */
function correlate(a: Float64Array, b: Float64Array): number | null {
  const meanA = meanOf(a);
  const meanB = meanOf(b);
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const offA = a[i]! - meanA;
    const offB = b[i]! - meanB;
    both += offA * offB;
    squaresA += offA * offA;
    squaresB += offB * offB;
  }
  const least = leastContrast * leastContrast * a.length;
  if (squaresA < least || squaresB < least) return null;
  return both / Math.sqrt(squaresA * squaresB);
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
