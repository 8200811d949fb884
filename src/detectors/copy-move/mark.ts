/** Where the two places of a pair lie in the whole picture. */

import type { PlaceMap } from '../finding.ts';
import type { Size } from '../places.ts';
import { extentOf } from './extent.ts';
import type { Look, Pair } from './look.ts';
import { gridPx } from './match-field.ts';

/** Pixels of the picture; smaller cells would say more than a match can. */
const leastCellPx = 4;

/** Both places of a pair, each alone; which of them is the copy cannot be told. */
export interface Marks {
  readonly here: PlaceMap;
  readonly there: PlaceMap;
}

/** A map on which no method has said anything, in cells that hold a cell of the match field at least. */
export function emptyMap({ working }: Look, { width, height }: Size): PlaceMap {
  const cellPx = Math.max(leastCellPx, Math.ceil(gridPx * working.scale));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  return { cellPx, columns, rows, values: new Float32Array(columns * rows).fill(0.5) };
}

interface Judged {
  readonly look: Look;
  readonly pair: Pair;
  /** Of the picture, in pixels. */
  readonly size: Size;
  /** That the pair is one of a copy, above one half: stands in every cell that the pair touches. */
  readonly probability: number;
}

export function markPair({ look, pair, size, probability }: Judged): Marks {
  const { a, b, c, d, e, f } = pair.region.affine;
  const [here, there] = [emptyMap(look, size), emptyMap(look, size)];
  const mark = ({ cellPx, columns, rows, values }: PlaceMap, x: number, y: number) => {
    const column = Math.floor((x * look.working.scale) / cellPx);
    const row = Math.floor((y * look.working.scale) / cellPx);
    const isInside = column >= 0 && row >= 0 && column < columns && row < rows;
    if (isInside) values[row * columns + column] = probability;
  };
  for (const cell of extentOf(pair.region, look.working, look.columns)) {
    const left = (cell % look.columns) * gridPx;
    const top = Math.floor(cell / look.columns) * gridPx;
    for (let y = top; y < top + gridPx; y++) {
      for (let x = left; x < left + gridPx; x++) {
        mark(here, x, y);
        mark(there, a * x + b * y + c, d * x + e * y + f);
      }
    }
  }
  return { here, there };
}

export function mergeMaps(maps: readonly PlaceMap[], ground: PlaceMap): PlaceMap {
  const values = ground.values.map((value, at) =>
    maps.reduce((most, map) => Math.max(most, map.values[at]!), value),
  );
  return { ...ground, values };
}
