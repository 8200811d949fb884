/** From the answers at every place a patch can take to one value a cell. */

import type { Calibration } from '../inference/model.ts';
import type { TraceModel } from '../inference/trace-model.ts';
import { calibrated, shareBelow } from './calibration.ts';
import type { Reading } from './reading.ts';
import type { CellMaps } from './result.ts';

const full = 65_535;

/**
 * The four maps. A cell shows what the network says of the patch around it; near the border, of the nearest patch that
 * lies inside, so that every value is read from equally many cells. `anomaly` is the share of reference patches that lie
 * nearer to training.
 */
export function drawMaps(reading: Reading, model: TraceModel): CellMaps {
  const { calibration, input } = model.manifest;
  const { distanceQuantiles } = model.statistics;
  const classMap = (output: number, how: Calibration) =>
    quantised(reading, (place) => calibrated(reading.logits[3 * place + output]!, how));
  return {
    cellPx: input.cellPx,
    ...reading.grid,
    values: {
      real: classMap(0, calibration.real),
      fake: classMap(1, calibration.fake),
      compression: classMap(2, calibration.compression),
      anomaly: quantised(reading, (place) =>
        shareBelow(distanceQuantiles, reading.distances[place]!),
      ),
    },
  };
}

/** Distance from training of the patch around each cell. */
export function cellDistances(reading: Reading): Float64Array {
  return placeOfEachCell(reading, (cells) => new Float64Array(cells), reading.distances);
}

/** @param valueAt - 0..1 for each place; stored as 0..65535, rounded. */
function quantised(reading: Reading, valueAt: (place: number) => number): Uint16Array {
  const { columns, rows } = reading.places;
  const values = Uint16Array.from({ length: columns * rows }, (_, place) =>
    Math.round(full * valueAt(place)),
  );
  return placeOfEachCell(reading, (cells) => new Uint16Array(cells), values);
}

/** Copies to each cell the value of the place whose window has the cell in its middle, or lies nearest to that. */
function placeOfEachCell<Values extends Uint16Array | Float64Array>(
  { grid, window, places }: Reading,
  create: (cells: number) => Values,
  values: Values,
): Values {
  const cells = create(grid.columns * grid.rows);
  for (let row = 0; row < grid.rows; row++) {
    const top = clamped(row - (window.rows >> 1), places.rows - 1) * places.columns;
    for (let column = 0; column < grid.columns; column++) {
      const left = clamped(column - (window.columns >> 1), places.columns - 1);
      cells[row * grid.columns + column] = values[top + left]!;
    }
  }
  return cells;
}

function clamped(value: number, last: number): number {
  return Math.min(last, Math.max(0, value));
}
