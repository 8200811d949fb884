/** Texture of each region of a picture: flat regions carry no traces, so they do not count for its score. */

import type { Planes } from '../image/pixels.ts';
import type { CellPosition, Grid } from './patches.ts';

/** Grey levels. One hard edge must not make a patch textured, so this is the max for one pixel. */
const maxPerPixel = 32;

/**
 * For each cell the sum over its pixels of |luma - right neighbour| + |luma - lower neighbour|, each pixel's sum at most
 * 32. Neighbours and pixels outside the picture add nothing.
 */
export function cellTextures(
  picture: Pick<Planes, 'luma' | 'facts'>,
  grid: Grid,
  cellPx: number,
): Float64Array {
  const { luma } = picture;
  const { width, height } = picture.facts;
  const lastColumn = width - 1;
  const textures = new Float64Array(grid.columns * grid.rows);
  for (let y = 0; y < height; y++) {
    const line = y * width;
    const below = y + 1 < height ? width : 0;
    const cells = Math.floor(y / cellPx) * grid.columns;
    for (let column = 0; column < grid.columns; column++) {
      const end = Math.min((column + 1) * cellPx, width);
      let sum = 0;
      for (let x = column * cellPx; x < end; x++) {
        const here = luma[line + x]!;
        const right = luma[line + (x < lastColumn ? x + 1 : x)]!;
        const change = Math.abs(here - right) + Math.abs(here - luma[line + x + below]!);
        sum += change < maxPerPixel ? change : maxPerPixel;
      }
      textures[cells + column]! += sum;
    }
  }
  return textures;
}

/**
 * The positions of the windows with the most texture, in descending order; ties go to the upper, then the left one.
 *
 * @param textures - one number a cell of `grid`, from `cellTextures`.
 */
export function mostTextured(
  places: readonly CellPosition[],
  textures: Float64Array,
  { grid, window, count }: { readonly grid: Grid; readonly window: Grid; readonly count: number },
): readonly CellPosition[] {
  const ranked = places.map((place) => ({
    place,
    texture: sumOver(place, textures, grid, window),
  }));
  return ranked
    .toSorted((one, other) => other.texture - one.texture || compare(one.place, other.place))
    .slice(0, count)
    .map(({ place }) => place);
}

function compare(one: CellPosition, other: CellPosition): number {
  return one.row - other.row || one.column - other.column;
}

function sumOver(place: CellPosition, textures: Float64Array, grid: Grid, window: Grid): number {
  let sum = 0;
  for (let row = place.row; row < place.row + window.rows; row++) {
    for (let column = place.column; column < place.column + window.columns; column++) {
      sum += textures[row * grid.columns + column]!;
    }
  }
  return sum;
}
