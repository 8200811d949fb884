/** From one value a block of 8 by 8 pixels to a map over the whole upright picture. */

import type { Picture } from '../image/picture.ts';
import { blockPx, type Grid } from './dct.ts';
import type { PlaceMap } from './finding.ts';
import { toUpright } from './stored.ts';

export interface BlockValues {
  /** Whole blocks of the stored picture, in the grid that `grid` begins. */
  readonly columns: number;
  readonly rows: number;
  readonly grid: Grid;
  readonly values: Float32Array;
}

/** Cells where no whole block lies take the value of the nearest one. */
export function mapOfBlocks(blocks: BlockValues, facts: Picture['facts']): PlaceMap {
  const { columns, rows, grid } = blocks;
  const across = Math.ceil(facts.storedWidth / blockPx);
  const down = Math.ceil(facts.storedHeight / blockPx);
  const values = Float32Array.from({ length: across * down }, (_, at) => {
    const column = nearestBlock(at % across, grid.left, columns);
    const row = nearestBlock(Math.floor(at / across), grid.top, rows);
    return blocks.values[row * columns + column]!;
  });
  return toUpright({ cellPx: blockPx, columns: across, rows: down, values }, facts);
}

function nearestBlock(cell: number, offset: number, blocks: number): number {
  const block = offset > blockPx / 2 ? cell - 1 : cell;
  return Math.min(blocks - 1, Math.max(0, block));
}
