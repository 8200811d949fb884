/** Maps of different grids brought onto one. */

import type { PlaceMap } from '../detectors/finding.ts';
import { coveringGrid, type Grid } from './grid.ts';

/** Cells of `cellPx` by `cellPx` pixels over a picture. */
export interface CellGrid extends Grid {
  readonly cellPx: number;
}

/** Pixels of a picture up to which its maps have cells of this side; beyond the last one 16. Some 30,000 cells each. */
const cellSides = [
  { cellPx: 4, mostPixels: 500_000 },
  { cellPx: 8, mostPixels: 2_000_000 },
] as const;
const coarsestPx = 16;

/** Fine enough for the parts that people change, coarse enough to be kept. */
export function gridOfMaps(size: { readonly width: number; readonly height: number }): CellGrid {
  const pixels = size.width * size.height;
  const cellPx = cellSides.find(({ mostPixels }) => pixels <= mostPixels)?.cellPx ?? coarsestPx;
  return { cellPx, ...coveringGrid(size, cellPx) };
}

/**
 * The map with cells of another side: the mean of the cells that lie in a larger one, straight lines between the middles of
 * the cells around a smaller one.
 */
export function ontoGrid(map: PlaceMap, grid: CellGrid): Float32Array {
  const { columns, rows, cellPx } = grid;
  const across = weightsAlong(columns, cellPx, map.columns, map.cellPx);
  const down = weightsAlong(rows, cellPx, map.rows, map.cellPx);
  const answer = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (const [y, high] of down[row]!) {
        for (const [x, wide] of across[column]!)
          sum += high * wide * map.values[y * map.columns + x]!;
      }
      answer[row * columns + column] = sum;
    }
  }
  return answer;
}

type Share = readonly [index: number, weight: number];

/** For each cell of one side of the target the cells of the source that it is made of; their weights add up to 1. */
function weightsAlong(count: number, cellPx: number, sourceCount: number, sourcePx: number) {
  return Array.from({ length: count }, (_, cell): readonly Share[] =>
    cellPx > sourcePx
      ? inside(cell * cellPx, (cell + 1) * cellPx, sourceCount, sourcePx)
      : beside((cell + 0.5) * cellPx, sourceCount, sourcePx),
  );
}

function inside(from: number, to: number, count: number, px: number): readonly Share[] {
  const shares: Share[] = [];
  const end = Math.min(to, count * px);
  for (let index = Math.floor(from / px); index < count && index * px < end; index++) {
    const overlap = Math.min(end, (index + 1) * px) - Math.max(from, index * px);
    shares.push([index, overlap / (end - from)]);
  }
  return shares;
}

function beside(middle: number, count: number, px: number): readonly Share[] {
  const place = middle / px - 0.5;
  const before = Math.floor(place);
  const share = place - before;
  const held = (index: number) => Math.min(count - 1, Math.max(0, index));
  return share === 0
    ? [[held(before), 1]]
    : [
        [held(before), 1 - share],
        [held(before + 1), share],
      ];
}
