/** From the answers at every place a patch can take, and what points at local changes, to one value a cell. */

import type { PlaceMap } from '../detectors/finding.ts';
import type { Calibration } from '../inference/model.ts';
import type { TraceModel } from '../inference/trace-model.ts';
import { drawAnomaly } from './anomaly-map.ts';
import { calibrated, shareBelow, toFakeProbability } from './calibration.ts';
import { type CellGrid, ontoGrid } from './cells.ts';
import { drawFake } from './fake-map.ts';
import type { Localisation } from './manipulation.ts';
import type { Reading } from './reading.ts';
import type { CellMaps } from './result.ts';

const full = 65_535;

/**
 * The four maps and those of single methods. A cell shows what the trace network says of the patch around it; near the border,
 * of the nearest patch that lies inside, so that every value is read from equally many cells. `anomaly` is how unusual the
 * place is, see `drawAnomaly`; `fake` is what was generated or changed, see `drawFake`. `fusion`, among those of the methods,
 * tells where something was changed if anything was: there, some places stand out in an untouched picture as well.
 */
export function drawMaps(
  reading: Reading,
  model: TraceModel,
  grid: CellGrid,
  localisation: Localisation,
): CellMaps {
  const { changed, methods } = localisation;
  const { calibration } = model.manifest;
  const { distanceQuantiles } = model.statistics;
  const { cellPx } = model.manifest.input;
  const classMap = (output: number, how: Calibration) =>
    ontoGrid(
      placeMap(reading, cellPx, (place) => calibrated(reading.logits[3 * place + output]!, how)),
      grid,
    );
  const farther = (place: number) => shareBelow(distanceQuantiles, reading.distances[place]!);
  return {
    ...grid,
    values: {
      real: quantised(classMap(0, calibration.real)),
      fake: quantised(
        drawFake(
          classMap(1, calibration.fake),
          toFakeProbability(reading.meanLogits, model.manifest),
          localisation,
        ),
      ),
      compression: quantised(classMap(2, calibration.compression)),
      anomaly: quantised(
        drawAnomaly(ontoGrid(placeMap(reading, cellPx, farther), grid), localisation),
      ),
    },
    methods: Object.fromEntries(
      Object.entries({ fusion: changed, ...methods }).map(([method, values]) => [
        method,
        quantised(values),
      ]),
    ),
  };
}

/** Distance from training of the patch around each cell. */
export function cellDistances(reading: Reading): Float64Array {
  return placeOfEachCell(reading, (cells) => new Float64Array(cells), reading.distances);
}

/** @param values - 0..1; stored as 0..65535, rounded. */
function quantised(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, (value) => Math.round(full * value));
}

function placeMap(reading: Reading, cellPx: number, valueAt: (place: number) => number): PlaceMap {
  const { columns, rows } = reading.places;
  const places = Float32Array.from({ length: columns * rows }, (_, place) => valueAt(place));
  const values = placeOfEachCell(reading, (cells) => new Float32Array(cells), places);
  return { cellPx, ...reading.grid, values };
}

/** Copies to each cell the value of the place whose window has the cell in its middle, or lies nearest to that. */
function placeOfEachCell<Values extends Float32Array | Float64Array>(
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
